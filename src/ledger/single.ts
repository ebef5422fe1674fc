import type { Database } from './database.ts';

/** Single calls: each is a recipient of its own on a campaign of the kind 'calls', with all its guarantees. */
export type SingleCall = {
  campaignId: string;
  laneId: number;
  phone: string;
  name: string | null;
  /** Tells two calls to one phone apart; the same one again is the same call. */
  ref: string;
};

/** Why nothing was planned. */
export type SingleRefusal = 'suppressed' | 'stopped' | 'known';

export type Singles = ReturnType<typeof createSingles>;

export function createSingles(db: Database) {
  return {
    /** Answers the attempt, which is planned and which no queue knows yet. */
    async plan(call: SingleCall): Promise<{ attempt: string } | { refusal: SingleRefusal }> {
      const { campaignId, laneId, phone, name, ref } = call;
      const [made] = await db.query<{ id: string }>('single_plan', [campaignId, laneId, phone, ref, name]);
      if (made) return { attempt: made.id };
      const [why] = await db.query<{ state: string; suppressed: boolean }>('single_refusal', [
        campaignId,
        phone,
      ]);
      if (why?.suppressed) return { refusal: 'suppressed' };
      return { refusal: why?.state === 'running' ? 'known' : 'stopped' };
    },
  };
}
