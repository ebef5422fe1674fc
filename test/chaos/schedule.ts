import type { FaultRule } from '../../simulator/faults.ts';
import { createDice, type Dice } from './dice.ts';

/** The plan that a seed makes: who dials, with which order, and which fault strikes when. Pure: same seed, same round. */
export type EngineKind = 'postgres' | 'redis';
export type Mode = 'background' | 'run';
export type Wire = 'ledger' | 'queue' | 'service';
export type WireFault = 'cut' | 'freeze' | 'reset' | 'slow' | 'deafen';

export type Fault =
  /** SIGKILL: at any moment, in the middle of a create, or between its answer and the write that records it. */
  | { kind: 'kill'; who: number; all: boolean; moment: 'any' | 'mid-create' | 'unwritten' }
  /** SIGSTOP, then SIGCONT. */
  | { kind: 'stop'; who: number; forMs: number }
  /** SIGSTOP with creates between commit and request; a person resolves them meanwhile, then SIGCONT. */
  | { kind: 'zombie'; who: number }
  | { kind: 'redis-kill'; downMs: number; from: 'nothing' | 'snapshot' }
  | { kind: 'redis-snapshot' }
  | { kind: 'redis-flush' }
  | { kind: 'ledger-kill'; downMs: number }
  | { kind: 'wire'; wire: Wire; how: WireFault; forMs: number }
  /** Existing connections to the ledger go silent for good; new ones work. Noticed only after a while. */
  | { kind: 'hush'; forMs: number }
  | { kind: 'answers'; rules: FaultRule[]; forMs: number }
  | { kind: 'limit'; share: number; forMs: number }
  | { kind: 'concurrency'; most: number; forMs: number }
  | { kind: 'credits'; left: number; forMs: number }
  | { kind: 'revoke'; key: number; forMs: number }
  | { kind: 'pause'; forMs: number }
  | { kind: 'cancel' }
  | { kind: 'suppress'; from: number; share: number }
  /** A person resolves unknown attempts from the service's list of calls. */
  | { kind: 'person'; most: number }
  /** A second run of the same name, or an interrupt of the first one. */
  | { kind: 'rerun'; how: 'second' | 'interrupt' };

export type Event = { atMs: number; fault: Fault };

export type Plan = {
  seed: number;
  engine: EngineKind;
  mode: Mode;
  people: number;
  workers: number;
  keys: number;
  /** Requests a second per key. */
  rate: number;
  /** How long faults strike. */
  strikeMs: number;
  /** Above 1, people who are busy or do not answer are called again. */
  mostAttempts: number;
  /** How many campaigns call the same people at the same time. */
  sharing: number;
  /** Contact rules that all processes dial by. */
  policy: StormPolicy | null;
  /** When the campaign's window closes, from its start. */
  closesInMs: number | null;
  events: Event[];
};

/** A day of rules in some seconds: the calls are as much shorter. */
export type StormPolicy = { calls: number; perSeconds: number; gapSeconds: number };
const stormPolicy: StormPolicy = { calls: 3, perSeconds: 20, gapSeconds: 3 };

export type PlanOptions = {
  engine: EngineKind;
  people: number;
  /** The longest that faults may strike. */
  seconds: number | null;
  /** Only these kinds, besides the SIGKILLs. */
  faults?: readonly string[] | null;
  /** Background campaigns that share the people. Above 1, faults that strike one campaign are left out. */
  sharing?: number;
  /** With contact rules, four processes. */
  policy?: boolean;
  /** Only SIGKILLs, for systems that cannot handle more. */
  killsAlone?: boolean;
};

/** The retry rule of a campaign with several attempts; the waits are as short as the simulated calls. */
export const retry = 'busy=2s,no-answer=3s';
export const retried: readonly string[] = ['busy', 'no-answer'];

/** Faults begin after this time, so that the undisturbed pace is known. */
export const mostCalmMs = 3_000;
export const calmOf = (strikeMs: number) => Math.min(mostCalmMs, strikeMs / 5);
const killEveryMs = 1_500;
const otherEveryMs = 2_500;

/** Faults that strike one campaign, while the judge applies their bans to all creates of the service. */
const ofOneCampaign: readonly string[] = ['pause', 'cancel', 'suppress', 'rerun'];

export function makePlan(seed: number, options: PlanOptions): Plan {
  const dice = createDice(seed);
  const { engine, people, sharing = 1 } = options;
  const strikeMs = Math.min((options.seconds ?? 600) * 1_000, Math.max(12_000, people * 9));
  const drawn: Mode = options.killsAlone ? 'background' : dice.draw({ background: 3, run: 2 });
  const mode = sharing > 1 ? 'background' : drawn;
  const keys = dice.is(0.3) ? 2 : 1;
  const rate = Math.max(30, Math.ceil((people * sharing * 3_000) / strikeMs / keys));
  const closes = !options.killsAlone && dice.is(0.12) ? strikeMs * dice.between(0.5, 0.9) : null;
  const closesInMs = sharing > 1 ? null : closes;
  const plan: Plan = {
    seed,
    engine,
    mode,
    people,
    workers: options.policy ? 4 : dice.whole(2, 3),
    keys,
    rate,
    strikeMs,
    mostAttempts: options.policy || (!options.killsAlone && dice.is(0.25)) ? 2 : 1,
    sharing,
    policy: options.policy ? stormPolicy : null,
    closesInMs,
    events: [],
  };
  plan.events = [
    ...kills(dice, plan, options.killsAlone ?? false),
    ...(options.killsAlone ? [] : others(dice, plan, options.faults ?? null)),
  ]
    .filter(({ fault }) => sharing === 1 || !ofOneCampaign.includes(fault.kind))
    .sort((a, b) => a.atMs - b.atMs);
  return plan;
}

function kills(dice: Dice, { strikeMs }: Plan, alone: boolean): Event[] {
  return times(dice, strikeMs, killEveryMs).map((atMs) => ({
    atMs,
    fault: {
      kind: 'kill',
      who: dice.roll(),
      all: dice.is(0.15),
      moment: alone ? 'any' : dice.draw({ any: 6, 'mid-create': 3, unwritten: 1.5 }),
    },
  }));
}

function others(dice: Dice, plan: Plan, wanted: readonly string[] | null): Event[] {
  const redis = plan.engine === 'redis' ? 1 : 0;
  const run = plan.mode === 'run' ? 1 : 0;
  const events: Event[] = times(dice, plan.strikeMs, otherEveryMs).map((atMs) => {
    const weights = {
      stop: 1.5,
      wire: 4,
      hush: 0.7,
      answers: 4,
      'ledger-kill': 1.5,
      'redis-kill': 2 * redis,
      'redis-snapshot': redis,
      'redis-flush': redis,
      limit: 0.7,
      concurrency: 0.5,
      credits: 0.7,
      revoke: 0.4,
      pause: 0.6,
      suppress: 1,
      person: 1,
      zombie: 0.5,
      rerun: 2 * run,
    };
    const chosen = Object.entries(weights).filter(([name]) => wanted?.includes(name) ?? true);
    const kind = dice.draw(Object.fromEntries(chosen) as Partial<typeof weights>);
    return { atMs, fault: makeFault(dice, plan, kind) };
  });
  if (dice.is(0.12) && !wanted)
    events.push({ atMs: plan.strikeMs * dice.between(0.5, 0.95), fault: { kind: 'cancel' } });
  return events;
}

type OtherKind = Exclude<Fault['kind'], 'kill' | 'cancel'>;

function makeFault(dice: Dice, plan: Plan, kind: OtherKind): Fault {
  const short = () => Math.round(dice.between(300, 2_000));
  switch (kind) {
    case 'stop':
      return { kind, who: dice.roll(), forMs: Math.round(dice.between(500, 7_000)) };
    case 'zombie':
      return { kind, who: dice.roll() };
    case 'redis-kill':
      return { kind, downMs: short(), from: dice.pick(['nothing', 'snapshot'] as const) };
    case 'ledger-kill':
      return { kind, downMs: short() };
    case 'wire': {
      const wires: Wire[] = plan.engine === 'redis' ? ['ledger', 'queue', 'service'] : ['ledger', 'service'];
      const how = dice.pick(['cut', 'freeze', 'reset', 'slow', 'deafen'] as const);
      return { kind, wire: dice.pick(wires), how, forMs: short() };
    }
    case 'hush':
      return { kind, forMs: Math.round(dice.between(12_000, 17_000)) };
    case 'answers':
      return { kind, rules: makeRules(dice), forMs: short() };
    case 'limit':
      return { kind, share: dice.between(0.2, 0.8), forMs: short() };
    case 'concurrency':
      return { kind, most: dice.whole(1, 20), forMs: short() };
    case 'credits':
      return { kind, left: dice.whole(0, 20), forMs: short() };
    case 'revoke':
      return { kind, key: dice.whole(0, plan.keys - 1), forMs: short() };
    case 'pause':
      return { kind, forMs: short() };
    case 'suppress':
      return { kind, from: dice.roll(), share: dice.between(0.002, 0.02) };
    case 'person':
      return { kind, most: 5 };
    case 'rerun':
      return { kind, how: dice.pick(['second', 'interrupt'] as const) };
    case 'redis-snapshot':
    case 'redis-flush':
      return { kind };
  }
}

function makeRules(dice: Dice): FaultRule[] {
  const probability = dice.between(0.02, 0.3);
  const rules: FaultRule[] = [
    { kind: 'error', when: 'before', probability },
    { kind: 'error', when: 'after', probability },
    { kind: 'reset', when: 'before', probability },
    { kind: 'reset', when: 'after', probability },
    { kind: 'hang', when: dice.pick(['before', 'after'] as const), probability: probability / 4 },
    { kind: 'html', when: dice.pick(['before', 'after'] as const), probability },
    { kind: 'redirect', when: 'before', probability },
    { kind: 'broken-json', probability },
    { kind: 'cut', probability },
    { kind: 'slow', probability, ms: 1_000 },
    { kind: 'error', on: 'get', probability },
    { kind: 'html', on: 'get', probability },
    { kind: 'broken-json', on: 'get', probability },
    { kind: 'error', status: 429, on: 'all', probability },
    { kind: 'other-phone', probability },
    { kind: 'same-id', probability },
    { kind: 'other-phone', on: 'get', probability },
    { kind: 'other-id', on: 'get', probability },
    { kind: 'odd-status', on: 'get', probability },
  ];
  const first = dice.pick(rules);
  return dice.is(0.3) ? [first, dice.pick(rules)] : [first];
}

/** Random moments in order, this often on average. */
function times(dice: Dice, untilMs: number, everyMs: number): number[] {
  const moments: number[] = [];
  for (let at = calmOf(untilMs); ; ) {
    at += -Math.log(1 - dice.roll()) * everyMs;
    if (at >= untilMs) return moments;
    moments.push(Math.round(at));
  }
}
