import { normaliseStatus } from './outcomes.ts';
import { isEmpty, valuesAt } from './pointer.ts';
import { timeOf } from './values.ts';

/** Ordered rules: the first that fits holds. Every test of a rule must hold, for one of the values at its place. */
type Scalar = string | number | boolean | null;
export type Test =
  | Scalar
  | readonly Scalar[]
  | Readonly<{ present: boolean }>
  /** A time more than this many seconds ago. */
  | Readonly<{ older_than: number }>
  | Readonly<{ over: number }>;

export type Rule<Is extends string> = Readonly<{
  when: Readonly<Record<string, Test>>;
  is: Is;
  /** The service has no rule of its own for this reason, so it is reported once. */
  unknown?: boolean | undefined;
}>;

/** Names that do not stand for a place in the body. */
export type Beside = Readonly<Record<string, Scalar>>;

/** The first rule whose condition holds. `speed` is how much faster than real time the service's calls pass. */
export function firstThatFits<R extends Rule<string>>(
  rules: readonly R[],
  body: unknown,
  now: number,
  beside: Beside = {},
  speed = 1,
): R | null {
  return rules.find(({ when }) => isMet(when, body, now, beside, speed)) ?? null;
}

export function isMet(
  when: Rule<string>['when'],
  body: unknown,
  now: number,
  beside: Beside = {},
  speed = 1,
): boolean {
  const valuesOf = (place: string) =>
    place === '' || place.startsWith('/') ? valuesAt(body, place) : [beside[place] ?? null];
  return Object.entries(when).every(([place, test]) => holds(test, valuesOf(place), now, speed));
}

function holds(test: Test, values: readonly unknown[], now: number, speed: number): boolean {
  if (typeof test === 'object' && test !== null && !Array.isArray(test)) {
    if ('present' in test) return values.some((value) => !isEmpty(value)) === test.present;
    if ('over' in test) return values.some((value) => typeof value === 'number' && value > test.over);
    const { older_than } = test as { older_than: number };
    return values.some((value) => {
      const at = timeOf(value);
      // Times in whole seconds are coarse beside a wait that passes faster.
      const coarse = speed > 1 ? 1_000 : 0;
      return at !== null && now - Date.parse(at) > coarse + (older_than * 1_000) / speed;
    });
  }
  const wanted = (Array.isArray(test) ? test : [test]) as readonly Scalar[];
  const found = values.length > 0 ? values : [null];
  return found.some((value) => wanted.some((each) => isSame(each, value)));
}

/** Text without case; `_` and spaces count as `-`, and a `*` stands for any text, but not for a part of a number. */
function isSame(wanted: Scalar, value: unknown): boolean {
  if (wanted === null) return value === null || value === undefined;
  if (typeof wanted !== 'string') return value === wanted;
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  return fits(partsOf(wanted), normaliseStatus(String(value).slice(0, mostText)));
}

/** A longer text is not a word that a rule could mean. */
const mostText = 2_000;

/**
 * Matches each part in turn, from the beginning to the end, so that the work grows only with the text. Digits beside a
 * star must be a whole number of the text: `*480*` does not fit a part of a phone number.
 */
function fits(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (end < first.length || !isPartAt(first, text, 0) || !isPartAt(last, text, end)) return false;
  let at = first.length;
  for (const part of rest) {
    let found = text.indexOf(part, at);
    while (found >= 0 && !isPartAt(part, text, found)) found = text.indexOf(part, found + 1);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function isPartAt(part: string, text: string, at: number): boolean {
  const isInNumber = (edge: number) => isDigit(text[edge - 1]) && isDigit(text[edge]);
  return part === '' || (text.startsWith(part, at) && !isInNumber(at) && !isInNumber(at + part.length));
}

function isDigit(letter: string | undefined): boolean {
  return letter !== undefined && letter >= '0' && letter <= '9';
}

const split = new Map<string, readonly string[]>();

/** The parts between the stars. */
function partsOf(wanted: string): readonly string[] {
  let parts = split.get(wanted);
  if (!parts) {
    parts = wanted.split('*').map((part) => normaliseStatus(`.${part}.`).slice(1, -1));
    split.set(wanted, parts);
  }
  return parts;
}
