import { randomInt } from 'node:crypto';
import type { PersonPhone, Repaired } from '../ledger/people/lines.ts';
import { type Calendar, neverOpens } from '../rules/calendar/calendar.ts';
import { readPhone } from '../rules/phone/phone.ts';
import { quote } from '../rules/phone/phone-text.ts';
import { placeOf } from '../rules/phone/place.ts';
import { readState, statesOf } from '../rules/phone/states.ts';
import { zonesOf } from '../rules/phone/zones.ts';
import { isZone } from '../rules/time/zone-clock.ts';

/** The checks for every row of a file or of the API: a valid phone, not a duplicate, and a valid time zone. */
export type AcceptedRow = {
  /** The line of the file on which the record begins; the position in the list for rows from the API. */
  row: number;
  /** The number that is tried first. */
  phone: string;
  /** All numbers of a person who has several, in the order in which they are tried. */
  phones?: readonly PersonPhone[] | undefined;
  name: string | null;
  /** The agent that the row asks for. */
  agent?: string | undefined;
  /** As src/rules/phone/place.ts writes it; empty if it is unknown. */
  place: string;
  /** Every column, unchanged. */
  input: Record<string, unknown>;
  /** The other columns: trimmed text, or values of the declared type. */
  variables: Record<string, unknown>;
  /** The row itself says where the person is, by its time zone or its state. */
  ownPlace?: true | undefined;
  /** The reject that this row was before. */
  repairs?: Repaired | undefined;
};
export type RejectedRow = {
  row: number;
  reason: string;
  input: Record<string, unknown>;
  /** Set for a person who could be called with a different order. */
  phone?: string | undefined;
  /** Whether an earlier row has the same phone. */
  isTwin?: boolean | undefined;
  /** The reject that this row was before. */
  repairs?: Repaired | undefined;
};
export type RowBatch = { accepted: AcceptedRow[]; rejected: RejectedRow[] };

/** A row as its list gives it: a person who is to be checked, or why it is none. */
export type GivenRow = Pick<AcceptedRow, 'row' | 'input' | 'repairs'> & (GivenPerson | { refusal: string });
export type GivenPerson = {
  phones: readonly string[];
  name: string;
  timezone: string;
  state: string;
  agent: string;
  variables: Record<string, unknown>;
  /** The input as it is kept of a person who is refused, if that differs. */
  refusedInput?: Record<string, unknown> | undefined;
  refusal?: undefined;
};

export type ScreenOptions = {
  country?: string | undefined;
  timezone?: string | undefined;
  /** A row whose hours never open is refused before anybody is called. */
  calendar?: (() => Calendar | null) | undefined;
  /** The time from which the calendar is checked. */
  now?: number | undefined;
};
type Screen = {
  /**
   * Returns the first number that may be called, and its place; or the reason for a refusal, if none of them may. Empty ones
   * are no numbers.
   */
  check(row: number, phones: readonly string[], timezone: string, state?: string): Screened;
};
type Screened =
  | { phone: string; place: string; ownPlace: boolean; phones?: readonly PersonPhone[]; refusal?: undefined }
  | Refused;
type Refused = { refusal: string; phone?: string; isTwin?: true };

export function createScreen(options: ScreenOptions, unit: 'line' | 'item'): Screen {
  const { country, timezone, calendar = () => null, now = 0 } = options;
  const seen = createSeen();
  const places = new Map<unknown, Map<unknown, string>>();
  const verdicts = new Map<string, string | null>();

  return {
    check(row, cells, zoneCell, stateCell = '') {
      const given = cells.filter((cell) => cell.trim() !== '');
      const readings = (given.length > 0 ? given : cells.slice(0, 1)).map((cell) => readPhone(cell, country));
      const faults = readings.map((reading) => (reading.ok ? null : reading.reason));
      if (!faults.includes(null)) return { refusal: faults[0]! };
      const own = zoneCell.trim();
      if (own && !isZone(own)) {
        return { refusal: `${quote(own)} is not a time zone: use a name such as America/New_York` };
      }
      const state = stateCell.trim() ? readState(stateCell) : undefined;
      if (state === null) {
        return {
          refusal: `${quote(stateCell.trim())} is not a state of the US or Canada: use a code such as TX`,
        };
      }
      const ownPlace = own !== '' || state !== undefined;
      const phones = readings.flatMap((reading) => {
        if (!reading.ok) return [{ phone: '', place: '', passed: reading.reason }];
        const { phone } = reading;
        const first = seen.firstSight(phone, row);
        const place = placeFor(phone, own || timezone || undefined, state);
        // A number that stands twice in one row is one number.
        if (first === row) return [];
        // That is another person's, who keeps it.
        if (first !== null) return [{ phone: '', place: '', passed: `duplicate of ${unit} ${first}` }];
        return [{ phone, place, passed: verdictOn(place) }];
      });
      const tried = phones.find(({ passed }) => passed === null);
      if (tried !== undefined)
        return { phone: tried.phone, place: tried.place, ownPlace, ...(phones.length > 1 && { phones }) };
      const never = phones.find(({ phone }) => phone !== '');
      return never
        ? { refusal: never.passed!, phone: never.phone }
        : { refusal: phones.find(({ passed }) => passed !== null)!.passed!, isTwin: true };
    },
  };

  /** Cached: there are few places and many rows. */
  function verdictOn(place: string): string | null {
    const known = verdicts.get(place);
    if (known !== undefined) return known;
    const verdict = neverOpens(calendar(), place, now);
    verdicts.set(place, verdict);
    return verdict;
  }

  /** Cached: there are few lists of zones and states and many rows. */
  function placeFor(phone: string, zone: string | undefined, state: string | undefined): string {
    // The lists of a table are shared, so each is its own key.
    const [first, second] = [zone ?? zonesOf(phone), state ?? statesOf(phone)];
    const known = places.get(first) ?? new Map<unknown, string>();
    places.set(first, known);
    let place = known.get(second);
    if (place === undefined) {
      place = placeOf(phone, { zone, state });
      known.set(second, place);
    }
    return place;
  }
}

/**
 * Remembers the line on which each phone of a file was first. A phone has at most 15 digits, so it is a number, and a
 * table of numbers takes about 24 bytes per row. A Map would take 100 and end at 16 million.
 */
type Seen = {
  /** The line on which the phone was first, or null if this is the first. */
  firstSight(phone: string, line: number): number | null;
};

/** Odd factors of the hash. They are random, so that no file can be crafted whose phones all need one slot. */
type HashKeys = { low: number; high: number };

const randomKeys = (): HashKeys => ({ low: randomInt(2 ** 31) * 2 + 1, high: randomInt(2 ** 31) * 2 + 1 });

export function createSeen(keys = randomKeys()): Seen {
  let slots = 1 << 12;
  let phones = new Float64Array(slots);
  let lines = new Uint32Array(slots);
  let count = 0;

  return {
    firstSight(phone, line) {
      const number = Number(phone.slice(1));
      const slot = slotOf(phones, number, keys);
      if (phones[slot] === number) return lines[slot]!;
      phones[slot] = number;
      lines[slot] = line;
      if (++count * 4 > slots * 3) grow();
      return null;
    },
  };

  function grow() {
    const [oldPhones, oldLines] = [phones, lines];
    slots *= 2;
    phones = new Float64Array(slots);
    lines = new Uint32Array(slots);
    for (const [index, number] of oldPhones.entries()) {
      if (number === 0) continue;
      const slot = slotOf(phones, number, keys);
      phones[slot] = number;
      lines[slot] = oldLines[index]!;
    }
  }
}

/** The slot that holds the number, or a free one for it; no phone is 0. */
function slotOf(phones: Float64Array, number: number, keys: HashKeys): number {
  const mask = phones.length - 1;
  // Mix both halves of the number: phones of one file often differ only in their last digits.
  let hash = Math.imul(number % 0x7fffffff, keys.low) ^ Math.imul(Math.floor(number / 0x7fffffff), keys.high);
  hash ^= hash >>> 15;
  let slot = Math.imul(hash, 0x2c1b3c6d) >>> 0;
  slot = (slot ^ (slot >>> 13)) & mask;
  while (phones[slot] !== 0 && phones[slot] !== number) slot = (slot + 1) & mask;
  return slot;
}

/**
 * Checks rows and gathers them into batches that fit in memory. Batches are limited by text too, because one row may hold a
 * megabyte.
 */
export type BatchLimits = {
  batchSize?: number | undefined;
  /** Characters, including the row that reaches the limit. */
  batchText?: number | undefined;
};

export function createGathering(options: BatchLimits & ScreenOptions, unit: 'line' | 'item') {
  const { batchSize = 1_000, batchText = 1_000_000 } = options;
  const screen = createScreen(options, unit);
  let batch: RowBatch = { accepted: [], rejected: [] };
  let text = 0;
  const rows = () => batch.accepted.length + batch.rejected.length;

  const refuse = ({ row, input, repairs }: GivenRow, { refusal, phone, isTwin }: Refused) => {
    const refused: RejectedRow = { row, reason: refusal, input };
    if (phone !== undefined) refused.phone = phone;
    if (isTwin) refused.isTwin = true;
    if (repairs) refused.repairs = repairs;
    batch.rejected.push(refused);
  };

  return {
    add(given: GivenRow) {
      if (given.refusal !== undefined) return refuse(given, given);
      const { row, input, variables, repairs, refusedInput = input } = given;
      const agent = given.agent.trim();
      const fault = agentFault(agent);
      const checked =
        fault === null ? screen.check(row, given.phones, given.timezone, given.state) : { refusal: fault };
      if (checked.refusal !== undefined) return refuse({ ...given, input: refusedInput }, checked);
      const { phone, phones, place, ownPlace } = checked;
      const person: AcceptedRow = { row, phone, name: given.name.trim() || null, place, input, variables };
      if (phones) person.phones = phones;
      if (ownPlace) person.ownPlace = true;
      if (agent) person.agent = agent;
      if (repairs) person.repairs = repairs;
      batch.accepted.push(person);
    },
    /** Adds to the text counted for the batch. */
    count(length: number) {
      // Text before the first row is not kept with it.
      if (rows() > 0) text += length;
    },
    isFull: () => rows() >= batchSize || text >= batchText,
    isEmpty: () => rows() === 0,
    /** Returns the batch and begins the next. */
    take() {
      const taken = batch;
      batch = { accepted: [], rejected: [] };
      text = 0;
      return taken;
    },
  };
}

/** An agent's id goes into each create: a long one, or one with a control character, is a mistake. */
function agentFault(agent: string): string | null {
  if (agent.length <= 200 && !/\p{Cc}/u.test(agent)) return null;
  return `${quote(agent)} is not an agent’s id`;
}

/** The least size of a row: it carries every column name, with quotes and separators. */
export function weightOfNames(columns: readonly string[]): number {
  return columns.reduce((sum, name) => sum + name.length + '"":"",'.length, 0);
}

export function weightOf(input: Record<string, unknown>): number {
  const weight = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).length;
  return Object.values(input).reduce<number>(
    (sum, value) => sum + weight(value),
    weightOfNames(Object.keys(input)),
  );
}
