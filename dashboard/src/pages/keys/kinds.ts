/** The kinds of requests that a key sends, and what its 429s were taken for, each with its words and colour. */
export const kinds = [
  { id: 'create', label: 'calls made', color: '--color-calling', fill: 'bg-calling' },
  { id: 'poll', label: 'polls', color: '--color-queued', fill: 'bg-queued' },
  { id: 'update', label: 'changes and hang-ups', color: '--color-parked', fill: 'bg-parked' },
  { id: 'numbers', label: 'lists of numbers and agents', color: '--color-skipped', fill: 'bg-skipped' },
] as const;

export const refusals = [
  { id: 'rate', label: 'the rate', color: '--color-rejected' },
  { id: 'creates', label: 'a limit of creates', color: '--color-parked' },
  { id: 'calls', label: 'calls at once', color: '--color-unknown' },
] as const;
