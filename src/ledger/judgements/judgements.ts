import { one } from '../answers.ts';
import type { Database } from '../database.ts';

/** Judgements of calls by those who listened to them. */
export const judgements = ['fine', 'wrong', 'opt-out'] as const;
type CallJudgement = (typeof judgements)[number];

/** The outcomes of calls in which somebody spoke, so that there is something to hear. */
export const spokenOutcomes = ['answered', 'voicemail', 'dropped'] as const;

export type JudgementLine = { judgement: CallJudgement; note: string | null; by: string; at: Date };

/** A call to one of a campaign's first people. */
export type FirstCall = {
  id: string;
  recipientId: number;
  row: number;
  phone: string;
  name: string | null;
  outcome: string | null;
  duration: number | null;
  endedAt: Date;
  /** Whether its record has words, and a recording. */
  transcript: boolean;
  recording: boolean;
} & (JudgementLine | { [Field in keyof JudgementLine]: null });

export function createJudgements(db: Database) {
  return {
    /** Ordered by input; `said` selects calls with these words. */
    first: (campaignId: string, most: number, said: string | null): Promise<FirstCall[]> =>
      db.query('judgements/first', { campaignId, most, said, spokenOutcomes: [...spokenOutcomes] }) as never,

    of: (attempt: string): Promise<JudgementLine | null> => one(db, 'judgements/of', { attemptId: attempt }),

    /** Null for an attempt that is not an ended call. */
    keep: (
      attempt: string,
      judgement: CallJudgement,
      note: string | null,
      by: string,
    ): Promise<JudgementLine | null> =>
      one(db, 'judgements/keep', {
        attemptId: attempt,
        judgement,
        note,
        by,
        spokenOutcomes: [...spokenOutcomes],
      }),

    /** Nobody calls the person of this call any more. Returns the phone; null if the person was erased. */
    async optOut(attempt: string): Promise<string | null> {
      const [row]: { phone: string }[] = await db.query('judgements/opt_out', { attemptId: attempt });
      return row?.phone ?? null;
    },
  };
}
