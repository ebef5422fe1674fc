import type { Span } from '../search.ts';

const hours: Record<Span, number> = { '1h': 1, '6h': 6, '24h': 24, '7d': 168, '30d': 720 };

export const begins = (span: Span, now: number) => now - hours[span] * 3_600_000;

/** When a span of time began, at a full minute: at most a minute before the campaign, so that a line has a beginning. */
export function sinceOf(span: Span, created: string, now = Date.now()): string {
  const at = Math.max(begins(span, now), Date.parse(created) - 60_000);
  return new Date(at - (at % 60_000)).toISOString();
}
