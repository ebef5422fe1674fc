import type { Evidence } from './evidence.ts';

/**
 * Attempts that a dialer's journal freed as never sent, and for whose phones the service saw a create all the same: from
 * their opening to the phone's next one.
 */
export function findSent({ attempts, moves, creates }: Evidence): string[] {
  const phones = new Map(attempts.map((attempt) => [attempt.id, attempt.phone]));
  const openings = moves.filter((move) => move.kind === 'dialing');
  return attempts.flatMap(({ id, phone, state, reason, dialingAt }) => {
    if (state !== 'dropped' || reason !== 'unsent' || dialingAt === null) return [];
    const later = openings.filter((move) => phones.get(move.attempt) === phone && move.at > dialingAt);
    const next = Math.min(...later.map((move) => move.at));
    return creates
      .filter((entry) => entry.phone === phone && entry.at >= dialingAt && entry.at < next)
      .map(
        (entry) =>
          `${phone}: create ${entry.seq} -> ${entry.answer} ${entry.call ?? 'no call'}, attempt ${id}`,
      );
  });
}
