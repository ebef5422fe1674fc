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
  answered: 'bg-good-fill',
  voicemail: 'bg-ink-2',
  'no-answer': 'bg-ink-3',
  busy: 'bg-warn-fill',
  failed: 'bg-bad-fill',
  canceled: 'bg-ink',
  dropped: 'bg-ink-2',
};

/** The token of the theme behind it. */
export const colorOf = (outcome: Outcome) => outcomeFills[outcome].replace('bg-', '--color-');
