/** When each place is open, as far ahead as a forecast looks; places with the same hours are one group. */
export type Hours = {
  /** The next time from `at` on at which people of a place may be called; null when there is none. */
  opens(place: string, at: number): number | null;
  /** When that ends; null when it does not within days. */
  closes(place: string, at: number): number | null;
};

type Stretch = { from: number; to: number };

/** When the people of a group may be called. */
export type Openings = {
  /** The stretch that contains `at`, or the next one; null when there is none. */
  at(at: number): Stretch | null;
};

const dayMs = 86_400_000;
/** Places that agree in this many stretches count as equal. */
const compared = 3;
/** A place that does not close within days is asked again later. */
const longest = 7 * dayMs;

/** Answers which group each place belongs to, and the openings of each group. */
export function groupPlaces(
  places: readonly string[],
  hours: Hours,
  now: number,
): { groupOf: Map<string, number>; groups: Openings[] } {
  const groupOf = new Map<string, number>();
  const bySign = new Map<string, number>();
  const groups: Openings[] = [];
  for (const place of new Set(places)) {
    const openings = openingsOf(place, hours, now);
    const sign = signOf(openings, now);
    let group = bySign.get(sign);
    if (group === undefined) {
      group = groups.push(openings) - 1;
      bySign.set(sign, group);
    }
    groupOf.set(place, group);
  }
  return { groupOf, groups };
}

function signOf(openings: Openings, now: number): string {
  const parts: string[] = [];
  let at = now;
  for (let i = 0; i < compared; i++) {
    const stretch = openings.at(at);
    if (!stretch) break;
    parts.push(`${stretch.from}-${stretch.to}`);
    at = stretch.to;
  }
  return parts.join();
}

function openingsOf(place: string, hours: Hours, now: number): Openings {
  const known: Stretch[] = [];
  let until = now;
  let over = false;
  return {
    at(at) {
      while (!over && (known.at(-1)?.to ?? now) <= at) {
        const from = hours.opens(place, until);
        if (from === null) over = true;
        else {
          const to = hours.closes(place, from) ?? from + longest;
          known.push({ from, to: Math.max(to, from + 1) });
          until = known.at(-1)!.to;
        }
      }
      let low = 0;
      let high = known.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (known[middle]!.to > at) high = middle;
        else low = middle + 1;
      }
      const found = known[low];
      return found && found.to > at ? found : null;
    },
  };
}
