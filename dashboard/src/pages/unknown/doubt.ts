import type { Unknown } from '../../api/description.ts';

/** The facts about an unknown attempt that are needed to ask a person about it. */
export type Doubt = {
  attempt: string;
  callId: string | null;
  /** The service began to answer that it made the call. */
  wasAccepted: boolean;
};

type Known = Pick<Unknown, 'attempt' | 'call_id' | 'reason'>;

export function doubtOf({ attempt, call_id: callId, reason }: Known): Doubt {
  return { attempt, callId, wasAccepted: reason === 'accepted' };
}
