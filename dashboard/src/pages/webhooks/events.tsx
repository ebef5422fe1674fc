/** The events in words; the name that the API has for each stands in the title. */
const nouns: Readonly<Record<string, string>> = {
  attempt: 'call',
  recipient: 'person',
  bulk: 'act on many people',
};

export function eventWords(type: string): string {
  const [noun = '', ...what] = type.split('.');
  return [nouns[noun] ?? noun, ...what].join(' ').replaceAll('_', ' ');
}

export function EventNames({ of: types }: { of: readonly string[] | null }) {
  if (types === null) return 'all events';
  return <span title={types.join(', ')}>{types.map(eventWords).join(', ')}</span>;
}
