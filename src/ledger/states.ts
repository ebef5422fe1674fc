/** The states that the ledger's CHECKs allow, as docs/reference/states.md draws them. */
export type LiveState = 'planned' | 'parked' | 'dialing' | 'placed' | 'unknown';
export type AttemptState = LiveState | 'done' | 'refused' | 'dropped';

/** A recipient's states, as people see them: for a row in progress, its live attempt decides which. */
export const recipientStates = [
  'waiting',
  'queued',
  'calling',
  'done',
  'parked',
  'unknown',
  'rejected',
  'skipped',
] as const;
export type RecipientState = (typeof recipientStates)[number];
