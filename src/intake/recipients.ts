import { readPhone } from '../rules/phone.ts';
import { quote } from '../rules/phone-text.ts';
import { isZone } from '../rules/window.ts';
import { zonesOf } from '../rules/zones.ts';
import { createSeen } from './seen.ts';

/** What every row must pass, whichever form it came in: a phone, not seen before, and a time zone that exists. */
export type AcceptedRow = {
  /** The line of the file on which the record begins; the place in the list for rows from the API. */
  row: number;
  phone: string;
  name: string | null;
  /** Sorted zone names joined with commas; empty when nobody knows where the number is. */
  zones: string;
  /** Every column as it was given. */
  input: Record<string, string>;
  /** The columns that are neither phone, name nor timezone, without spaces around them. */
  variables: Record<string, string>;
};
export type RejectedRow = { row: number; reason: string; input: Record<string, string> };
export type Batch = { accepted: AcceptedRow[]; rejected: RejectedRow[] };

export type ScreenOptions = { country?: string | undefined; timezone?: string | undefined };
export type Screen = {
  /** What is known of the recipient, or the reason why there is none; `unit` is what `row` counts. */
  check(row: number, phone: string, timezone: string): { phone: string; zones: string } | string;
};

export function createScreen({ country, timezone }: ScreenOptions, unit: 'line' | 'item'): Screen {
  const seen = createSeen();
  const joined = new Map<readonly string[], string>();

  return {
    check(row, cell, zoneCell) {
      const reading = readPhone(cell, country);
      if (!reading.ok) return reading.reason;
      const own = zoneCell.trim();
      if (own && !isZone(own)) return `${quote(own)} is no time zone: use a name such as America/New_York`;
      const { phone } = reading;
      const first = seen.firstSight(phone, row);
      if (first !== null) return `duplicate of ${unit} ${first}`;
      return { phone, zones: own || timezone || zonesFor(phone) };
    },
  };

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
