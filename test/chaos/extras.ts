import { createDice, type Dice } from './dice.ts';

/** The extras that a round may play besides its faults: drawn by the seed, or asked for by `--with`. */
export const extraNames = ['clocks', 'settings', 'keys', 'disk', 'twins', 'lost'] as const;
export type Extra = (typeof extraNames)[number];

export type Extras = {
  names: readonly Extra[];
  /** By how many seconds the clock of each process is off, by its place; the first is always right. */
  clocks: readonly number[];
  /** Settings in which a process differs from the others, by its place. */
  settings: readonly Readonly<Record<string, string>>[];
};

const chances: Readonly<Record<Extra, number>> = {
  clocks: 0.35,
  settings: 0.5,
  keys: 0.12,
  disk: 0.3,
  twins: 0.15,
  lost: 0.25,
};
export const manyKeys = 50;
/** More processes than a round ever has. */
const places = 8;
const hour = 3_600;

/** With dice of their own, so that a seed's other draws stay as they were. */
export function drawExtras(seed: number, wanted: readonly Extra[] | null): Extras {
  const dice = createDice(seed ^ 0xe87a5);
  // It came later: with dice of its own, for the same reason.
  const latest = createDice(seed ^ 0x1057);
  const drawn = extraNames.filter((name) => (name === 'lost' ? latest : dice).is(chances[name]));
  const names = wanted ?? drawn;
  const further = Array.from({ length: places }, (_, i) => i).slice(1);
  const off = names.includes('clocks') ? further.map(() => dice.pick([hour, -hour, 0])) : [];
  // One at least, if there is a second process.
  if (off.length > 0 && off[0] === 0) off[0] = dice.pick([hour, -hour]);
  const settings = names.includes('settings') ? further.map((place) => drawSettings(dice, place)) : [];
  const first = names.includes('settings') ? drawFirst(createDice(seed ^ 0xf1257)) : {};
  return { names, clocks: [0, ...off], settings: [first, ...settings] };
}

/** The first process dials in every round, by a clock that is right, and must never be held by contact rules. */
function drawFirst(dice: Dice): Record<string, string> {
  return dice.is(0.5) ? { VOICE_MAX_CALLS: String(dice.whole(10, 40)) } : { VOICE_RATE: '2' };
}

/** The rate is a share of the round's, and the contact rules are their text: the round makes settings of both. */
function drawSettings(dice: Dice, place: number): Record<string, string> {
  const all: Record<string, string> = {
    VOICE_MAX_CALLS: String(dice.whole(3, 40)),
    VOICE_RATE: String(dice.pick([0.3, 0.7, 2])),
    VOICE_CALL_DEADLINE_MS: String(dice.pick([6_000, 20_000])),
    // Rules that never hold anybody, and differ.
    CARILLON_POLICY: JSON.stringify({ caps: [{ calls: 50 + place, per: '1h' }] }),
  };
  const chosen = Object.entries(all).filter(() => dice.is(0.6));
  return Object.fromEntries(chosen.length > 0 ? chosen : Object.entries(all).slice(0, 1));
}
