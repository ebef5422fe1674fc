import type { Span } from '../search.ts';

/** When a span of time began, at a full minute. */
const hours: Record<Span, number> = { '1h': 1, '6h': 6, '24h': 24, '7d': 168, '30d': 720 };

export function sinceOf(span: Span, now = Date.now()): string {
  const at = now - hours[span] * 3_600_000;
  return new Date(at - (at % 60_000)).toISOString();
}
