import type { Caller, CampaignState } from './campaigns.ts';
import type { Database } from './database.ts';
import type { ResultLine } from './reports.ts';

/** Single calls that are left to the background workers: ordered once by their reference, and found again. */
export type CallOrder = {
  ref: string;
  phone: string;
  name: string | null;
  zones: string;
  variables: Record<string, string>;
};

/** `id` is null when nobody was added: the campaign does not dial, the phone is suppressed, or the ref is known. */
export type CallAdded = { id: number | null; campaign: CampaignState; suppressed: boolean };

/** What was ordered under a reference. */
export type Ordered = {
  id: number;
  phone: string;
  name: string | null;
  input: Record<string, string>;
  agentId: string;
  callers: Caller[];
};

export type Call = ResultLine & { campaignId: string; campaign: string };
export type CallEvent = { at: Date; kind: string; detail: string | null; attempt: string | null };

export type Calls = ReturnType<typeof createCalls>;

export function createCalls(db: Database) {
  return {
    async add(campaignId: string, { ref, phone, name, zones, variables }: CallOrder): Promise<CallAdded> {
      const values = [campaignId, phone, ref, name, zones, JSON.stringify(variables)];
      const [added] = await db.query<CallAdded>('call_add', values);
      const names = Object.keys(variables);
      if (names.length > 0) await db.query('call_columns', [campaignId, names]);
      return added!;
    },

    async byRef(ref: string): Promise<Ordered | null> {
      const [ordered] = await db.query<Ordered>('call_by_ref', [ref]);
      return ordered ?? null;
    },

    async find(id: number): Promise<Call | null> {
      const [call] = await db.query<Call>('call_find', [id]);
      return call ?? null;
    },

    history: (id: number, most: number) => db.query<CallEvent>('call_history', [id, most]),
  };
}
