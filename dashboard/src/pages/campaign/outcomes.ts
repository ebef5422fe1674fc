/** How calls end, in the order in which they are shown, each with the colour of its bars and lines. */
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

export const outcomeFills: Record<Outcome, string> = {
  answered: 'bg-done',
  voicemail: 'bg-queued',
  'no-answer': 'bg-waiting',
  busy: 'bg-parked',
  failed: 'bg-rejected',
  canceled: 'bg-skipped',
  dropped: 'bg-failed',
};

export const outcomeColors: Record<Outcome, string> = {
  answered: '--color-done',
  voicemail: '--color-queued',
  'no-answer': '--color-line-strong',
  busy: '--color-parked',
  failed: '--color-rejected',
  canceled: '--color-skipped',
  dropped: '--color-failed',
};
