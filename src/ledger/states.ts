/** The states that the ledger's CHECKs allow, as docs/reference/states.md draws them. */
const liveStates = ['planned', 'parked', 'dialing', 'placed', 'unknown'] as const;
export type LiveState = (typeof liveStates)[number];
export const attemptStates = [...liveStates, 'done', 'refused', 'dropped'] as const;
export type AttemptState = (typeof attemptStates)[number];

/** A recipient's states, as people see them: for a row in progress, its live attempt decides. */
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
