/** How a call will end. Only the seed and the phone decide, so the same list always ends the same way. */
import { between, createStream, normal } from './random.ts';

export const fates = ['answered', 'no-answer', 'voicemail', 'busy', 'invalid', 'failed', 'dropped'] as const;
export type Fate = (typeof fates)[number];

/** Relative weights: they need not add up to 1. A fate that is left out never happens. */
export type Shares = Partial<Record<Fate, number>>;

export const defaultShares: Shares = {
  'no-answer': 0.35,
  voicemail: 0.25,
  answered: 0.28,
  busy: 0.04,
  invalid: 0.05,
  failed: 0.03,
};

/** Fates that a test chose: for a whole phone, or for every phone that ends in these digits. */
type Forced = {
  /** One fate for every call to this phone, or a list for its first, second, ... call; the last one repeats. */
  phones: Readonly<Record<string, Fate | readonly Fate[]>>;
  endings: Readonly<Record<string, Fate | readonly Fate[]>>;
};

/** A call's script, in milliseconds of simulated time. */
export type Script = { fate: Fate; queueMs: number; ringMs: number; talkMs: number };

type Fortune = { seed: number; shares: Shares; forced: Forced };

/** `nth` counts the calls to this phone from 0: a second try may end differently. */
export function decideScript({ seed, shares, forced }: Fortune, phone: string, nth: number): Script {
  const random = createStream(seed, phone, nth);
  const drawn = draw(random(), shares);
  const fate = forcedFate(forced, phone, nth) ?? settled(seed, shares, phone, nth, drawn);
  return { fate, queueMs: between(random, 300, 1200), ...lengths(fate, random) };
}

/** Whether a number exists never changes, however often it is tried. */
function settled(seed: number, shares: Shares, phone: string, nth: number, drawn: Fate): Fate {
  if (nth === 0) return drawn;
  const first = draw(createStream(seed, phone, 0)(), shares);
  return first === 'invalid' || drawn === 'invalid' ? first : drawn;
}

function draw(point: number, shares: Shares): Fate {
  const given = fates.filter((fate) => (shares[fate] ?? 0) > 0);
  const total = given.reduce((sum, fate) => sum + (shares[fate] as number), 0);
  let left = point * total;
  for (const fate of given) {
    left -= shares[fate] as number;
    if (left < 0) return fate;
  }
  return given.at(-1) as Fate;
}

function lengths(fate: Fate, random: () => number): Pick<Script, 'ringMs' | 'talkMs'> {
  switch (fate) {
    case 'answered':
      return {
        ringMs: between(random, 4000, 14_000),
        // Lognormal around a minute, with the long tail of real conversations.
        talkMs: Math.min(1_800_000, Math.max(3000, 60_000 * Math.exp(0.8 * normal(random)))),
      };
    case 'no-answer':
      return { ringMs: between(random, 25_000, 30_000), talkMs: 0 };
    case 'voicemail':
      return { ringMs: between(random, 12_000, 20_000), talkMs: between(random, 8000, 20_000) };
    case 'busy':
      return { ringMs: between(random, 2000, 4000), talkMs: 0 };
    case 'invalid':
      return { ringMs: 0, talkMs: 0 };
    case 'failed':
      return { ringMs: between(random, 2000, 8000), talkMs: 0 };
    case 'dropped':
      // The person answered, then the service's own machinery broke.
      return { ringMs: between(random, 4000, 14_000), talkMs: between(random, 3000, 20_000) };
  }
}

function forcedFate(forced: Forced, phone: string, nth: number): Fate | undefined {
  const fate = forced.phones[phone] ?? longestEnding(forced.endings, phone);
  return typeof fate === 'object' ? fate[Math.min(nth, fate.length - 1)] : fate;
}

function longestEnding(endings: Forced['endings'], phone: string): Fate | readonly Fate[] | undefined {
  let best: string | undefined;
  for (const ending of Object.keys(endings)) {
    if (phone.endsWith(ending) && ending.length > (best?.length ?? 0)) best = ending;
  }
  return best === undefined ? undefined : endings[best];
}
