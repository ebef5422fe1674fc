/** The services that the whole program must find its pace on: options of `bench/independent/service.py`. */
export type World = {
  name: string;
  args: string[];
  keys: number;
  /**
   * When each phase begins, in seconds after the first create, and what it allows the run per second; null: no limit.
   */
  phases: { from: number; rate: number | null }[];
  seconds: number;
  /** The figure that is compared with the allowed one: all requests, the creates, or the calls at once. */
  judged: 'requests' | 'creates' | 'calls';
  /** Calls at once. */
  calls: number | null;
  /** The seconds left out at the start: the time to find an unknown limit that stays. */
  learnSeconds: number;
};

const phaseSeconds = 75;
const learnSeconds = 20;
const standingSeconds = 90;
const mostCalls = 12;

function moving(kind: string, rates: readonly number[]): World {
  const phases = rates.map((rate, i) => ({ from: i * phaseSeconds, rate }));
  const then = phases.slice(1).flatMap(({ from, rate }) => ['--then', `${from}:${rate}`]);
  return {
    ...standing(`${kind} ${rates.join(' to ')}/s`, ['--limiter', kind, '--rate', String(rates[0]), ...then]),
    phases,
    seconds: rates.length * phaseSeconds,
    learnSeconds: 0,
  };
}

function standing(
  name: string,
  args: string[],
  rate: number | null = null,
  more: Partial<World> = {},
): World {
  return {
    name,
    args,
    keys: 1,
    phases: [{ from: 0, rate }],
    seconds: standingSeconds,
    judged: 'requests',
    calls: null,
    learnSeconds,
    ...more,
  };
}

const capped = (name: string, args: string[], rate: number | null) =>
  standing(name, ['--calls', String(mostCalls), ...args], rate, { judged: 'calls', calls: mostCalls });

const kinds = ['bucket', 'fixed', 'sliding'];

export const worlds: World[] = [
  ...kinds.flatMap((kind) => [moving(kind, [30, 10, 45]), moving(kind, [12, 4, 18])]),
  capped(`${mostCalls} calls at once`, [], null),
  capped(`${mostCalls} calls at once, bucket 20/s`, ['--rate', '20'], 20),
  standing('creates 1/s, reads 20/s', ['--creates', '1', '--reads', '20'], 1, { judged: 'creates' }),
  standing('bucket 20/s, strangers take half', ['--rate', '20', '--strangers', '0.5'], 20),
  standing('account of two keys, bucket 20/s', ['--rate', '20', '--account'], 20, { keys: 2 }),
  standing('bucket 20/s', ['--rate', '20'], 20),
  standing('fixed 50/s', ['--limiter', 'fixed', '--rate', '50'], 50),
  standing('sliding 10/s', ['--limiter', 'sliding', '--rate', '10'], 10),
];
