import { readPhone } from '../rules/phone/phone.ts';
import { quote } from '../rules/phone/phone-text.ts';
import { zonesOf } from '../rules/phone/zones.ts';
import { isZone, neverOpens, type Window } from '../rules/time/window.ts';
import { createSeen } from './seen.ts';

/** The checks for every row of a file or of the API: a valid phone, not a duplicate, and a valid time zone. */
export type AcceptedRow = {
  /** The line of the file on which the record begins; the position in the list for rows from the API. */
  row: number;
  phone: string;
  name: string | null;
  /** The agent that the row asks for. */
  agent?: string | undefined;
  /** Sorted zone names joined with commas; empty if the number's place is unknown. */
  zones: string;
  /** Every column, unchanged. */
  input: Record<string, unknown>;
  /** The other columns: trimmed text, or of the type that was declared. */
  variables: Record<string, unknown>;
};
export type RejectedRow = {
  row: number;
  reason: string;
  input: Record<string, unknown>;
  /** Set for a person who could be called with a different order. */
  phone?: string | undefined;
};
export type RowBatch = { accepted: AcceptedRow[]; rejected: RejectedRow[] };

export type ScreenOptions = {
  country?: string | undefined;
  timezone?: string | undefined;
  /** The window of the order: a row for which it never opens is refused before anybody is called. */
  hours?: Window | null | undefined;
  /** The time from which the window is checked. */
  now?: number | undefined;
};
export type Screen = {
  /** Returns the phone and its zones, or the reason for a refusal. */
  check(row: number, phone: string, timezone: string): Screened;
};
export type Screened =
  | { phone: string; zones: string; refusal?: undefined }
  | { refusal: string; phone?: string };

/** An agent's id goes into each create: a long one, or one with a control character, is a mistake. */
export function agentFault(agent: string): string | null {
  if (agent.length <= 200 && !/\p{Cc}/u.test(agent)) return null;
  return `${quote(agent)} is not an agent’s id`;
}

export function createScreen(options: ScreenOptions, unit: 'line' | 'item'): Screen {
  const { country, timezone, hours = null, now = 0 } = options;
  const seen = createSeen();
  const joined = new Map<readonly string[], string>();
  const verdicts = new Map<string, string | null>();

  return {
    check(row, cell, zoneCell) {
      const reading = readPhone(cell, country);
      if (!reading.ok) return { refusal: reading.reason };
      const own = zoneCell.trim();
      if (own && !isZone(own)) {
        return { refusal: `${quote(own)} is not a time zone: use a name such as America/New_York` };
      }
      const { phone } = reading;
      const first = seen.firstSight(phone, row);
      if (first !== null) return { refusal: `duplicate of ${unit} ${first}` };
      const zones = own || timezone || zonesFor(phone);
      const never = hours === null ? null : verdictOn(zones);
      return never === null ? { phone, zones } : { refusal: never, phone };
    },
  };

  /** Cached: there are few sets of zones and many rows. */
  function verdictOn(zones: string): string | null {
    const known = verdicts.get(zones);
    if (known !== undefined) return known;
    const verdict = neverOpens(hours, zones ? zones.split(',') : [], now);
    verdicts.set(zones, verdict);
    return verdict;
  }

  function zonesFor(phone: string): string {
    const zones = zonesOf(phone);
    let text = joined.get(zones);
    if (text === undefined) {
      text = zones.join(',');
      joined.set(zones, text);
    }
    return text;
  }
}
