/** The kinds of requests that a key sends, and what its 429s were taken for, each with its words and colour. */
export const kinds = [
  { id: 'create', label: 'calls made', color: '--color-ink' },
  { id: 'poll', label: 'polls', color: '--color-ink-2' },
  { id: 'update', label: 'changes and hang-ups', color: '--color-live-fill' },
  { id: 'numbers', label: 'lists of numbers and agents', color: '--color-ink-3' },
] as const;

export const refusals = [
  { id: 'rate', label: 'the rate', color: '--color-bad-fill' },
  { id: 'creates', label: 'a limit of creates', color: '--color-warn-fill' },
  { id: 'calls', label: 'calls at once', color: '--color-odd-fill' },
] as const;
