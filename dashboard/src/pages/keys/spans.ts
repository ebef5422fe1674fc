/** How far back the charts of a key go: in the address, so that a link shows the same. */
export const spans = [
  { id: '15m', ms: 900_000 },
  { id: '1h', ms: 3_600_000 },
  { id: '6h', ms: 21_600_000 },
  { id: '1d', ms: 86_400_000 },
  // A little less than the minutes are kept.
  { id: '14d', ms: 1_208_000_000 },
] as const;

export type SpanId = (typeof spans)[number]['id'];
export type KeySearch = { span?: SpanId };

export function readKeySearch({ span }: Record<string, unknown>): KeySearch {
  const known = spans.find(({ id }) => id === span);
  return known ? { span: known.id } : {};
}

export const usualSpan: SpanId = '1h';
