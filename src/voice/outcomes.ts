/** How a call ended, in our words. */
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
