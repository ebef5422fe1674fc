/** How calls end, in the order in which they are shown, each with the colour of its bars. */
export const outcomeFills = {
  answered: 'bg-good-fill',
  voicemail: 'bg-ink-2',
  'no-answer': 'bg-ink-3',
  busy: 'bg-warn-fill',
  failed: 'bg-bad-fill',
  canceled: 'bg-ink',
  dropped: 'bg-ink-2',
} as const;
export type Outcome = keyof typeof outcomeFills;
export const outcomes = Object.keys(outcomeFills) as Outcome[];
