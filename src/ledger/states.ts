/** The states that the ledger's CHECKs allow, as docs/reference/states.md draws them. */
export type LiveState = 'planned' | 'parked' | 'dialing' | 'placed' | 'unknown';
export type AttemptState = LiveState | 'done' | 'refused' | 'dropped';

/** A recipient's, as people see them: a live attempt says which of them a row under way is in. */
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
