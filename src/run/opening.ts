import type { Clock } from '../base/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { nextOpening } from '../rules/time/calendar.ts';

/** Whether a campaign's window is open for anyone on it, and when it opens next for the others. */
export type WindowOpening = { open: boolean; next: number | null };

export async function watchWindow(
  app: { ledger: Ledger; clock: Clock },
  campaignId: string,
): Promise<() => WindowOpening> {
  const { times } = await app.ledger.campaigns.get(campaignId);
  const calendar = app.ledger.calendarOf(times);
  if (!calendar) return () => ({ open: true, next: null });
  const places = await app.ledger.campaigns.places(campaignId);
  let known: (WindowOpening & { at: number }) | undefined;
  return () => {
    const now = app.clock.now();
    // Places are many and minutes are few: asked once a minute.
    if (!known || now - known.at > 60_000) {
      const openings = places.map((place) => nextOpening(calendar, place, now)).filter((at) => at !== null);
      const later = openings.filter((at) => at > now);
      known = {
        at: now,
        open: later.length < openings.length,
        next: later.length > 0 ? Math.min(...later) : null,
      };
    }
    return known;
  };
}
