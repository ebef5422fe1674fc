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

export const outcomeColors: Record<Outcome, string> = {
  answered: '--color-good-fill',
  voicemail: '--color-ink-2',
  'no-answer': '--color-ink-3',
  busy: '--color-warn-fill',
  failed: '--color-bad-fill',
  canceled: '--color-ink',
  dropped: '--color-ink-2',
};
