/** How a call ended, in our words, and the services' names for it. */
export const outcomes = [
  'answered',
  'voicemail',
  'no-answer',
  'busy',
  'failed',
  'canceled',
  'dropped',
] as const;
export type Outcome = (typeof outcomes)[number];

/** `No Answer`, `NO_ANSWER` and `no-answer` are one status. */
export function normaliseStatus(status: string): string {
  return status
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
}

/**
 * The names by which services report an ended call. A name that some service uses while people still talk (`answered`,
 * `forwarding`, `processing`, `call-disconnected`, `machine`, ...) is left out on purpose: polling a little longer is
 * cheap, treating a live call as ended is not.
 */
export const endedStatuses: Readonly<Record<string, Outcome>> = Object.freeze({
  completed: 'answered',
  complete: 'answered',
  ended: 'answered',
  done: 'answered',
  finished: 'answered',
  success: 'answered',
  successful: 'answered',
  succeeded: 'answered',
  'call-ended': 'answered',
  'call-completed': 'answered',

  voicemail: 'voicemail',
  'voicemail-left': 'voicemail',
  'left-voicemail': 'voicemail',
  'voice-mail': 'voicemail',

  'no-answer': 'no-answer',
  noanswer: 'no-answer',
  'not-answered': 'no-answer',
  unanswered: 'no-answer',
  'not-connected': 'no-answer',
  missed: 'no-answer',
  timeout: 'no-answer',
  'timed-out': 'no-answer',

  busy: 'busy',
  'user-busy': 'busy',
  'line-busy': 'busy',
  declined: 'busy',

  failed: 'failed',
  fail: 'failed',
  failure: 'failed',
  error: 'failed',
  errored: 'failed',
  rejected: 'failed',
  'invalid-number': 'failed',
  'number-invalid': 'failed',
  unreachable: 'failed',
  unallocated: 'failed',
  congestion: 'failed',
  blocked: 'failed',
  expired: 'failed',
  'balance-low': 'failed',
  'insufficient-balance': 'failed',
  'insufficient-credits': 'failed',

  canceled: 'canceled',
  cancelled: 'canceled',
  stopped: 'canceled',
  aborted: 'canceled',
});
