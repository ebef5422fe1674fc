import type { ServiceName } from '../../simulator/settings.ts';
import { createDice, type Dice } from './dice.ts';
import { drawExtras, type Extra, type Extras, manyKeys } from './extras.ts';
import { type Fault, makeFault } from './faults.ts';

/** The plan that a seed makes: who dials, with which order, and which fault strikes when. Pure: same seed, same round. */
export type EngineKind = 'postgres' | 'redis' | 'cluster';
export type Mode = 'background' | 'run';
export type Event = { atMs: number; fault: Fault };

export type Plan = {
  seed: number;
  /** The simulator speaks its interface. */
  service: ServiceName;
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
  /** How many phone numbers each person has. */
  numbers: number;
  /** Most calls at once from each number of a pool; null calls without. */
  pool: number | null;
  /** What the campaign may cost; null is any. */
  budget: number | null;
  /** Contact rules that all processes dial by. */
  policy: StormPolicy | null;
  /** The service holds idempotency keys, and Carillon knows it. */
  promise: boolean;
  /** When the campaign's window closes, from its start. */
  closesInMs: number | null;
  /** Wrong clocks, other settings, many keys, a small disk, twins, lost history. */
  extras: Extras;
  events: Event[];
};

/** A day of rules in some seconds: the calls are as much shorter. Longer than a busy machine needs from one call to the next. */
export type StormPolicy = { calls: number; perSeconds: number; gapSeconds: number };
const stormPolicy: StormPolicy = { calls: 3, perSeconds: 40, gapSeconds: 10 };

export type PlanOptions = {
  service?: ServiceName;
  engine: EngineKind;
  people: number;
  /** The longest that faults may strike. */
  seconds: number | null;
  /** Only these kinds, besides the SIGKILLs. */
  faults?: readonly string[] | null;
  /** Background campaigns that share the people. Above 1, faults that strike one campaign are left out. */
  sharing?: number;
  /** Of each person; by default the seed draws one or two. */
  numbers?: number | null;
  /** Calls at once from each number of a pool; by default the seed draws whether there is one. */
  pool?: number | null;
  /** What the campaign may cost; by default the seed draws whether there is a budget. */
  budget?: number | null;
  /** With contact rules, four processes. */
  policy?: boolean;
  promise?: boolean;
  /** Only SIGKILLs, for systems that cannot handle more. */
  killsAlone?: boolean;
  /** The extras that are played besides the faults; by default the seed draws them. */
  extras?: readonly Extra[] | null;
  /** How many processes dial; by default the seed draws it. */
  processes?: number | null;
};

/** The retry rule of a campaign with several attempts; the waits are as short as the simulated calls. */
export const retry = 'busy=2s,no-answer=3s';
/** When a person's next number is called: at once after this outcome, with the next attempt after the others. */
export const nextNumber = 'no-answer=now';
export const retried: readonly string[] = ['busy', 'no-answer'];

/** Faults begin after this time, so that the undisturbed pace is known. */
export const mostCalmMs = 3_000;
export const calmOf = (strikeMs: number) => Math.min(mostCalmMs, strikeMs / 5);
const killEveryMs = 1_500;
const otherEveryMs = 2_500;
const clockEveryMs = 5_000;
const diskEveryMs = 6_000;
const masterEveryMs = 8_000;
const diskRestMs = 1_000;

/** Faults that strike one campaign, while the judge applies their bans to all creates of the service. */
const ofOneCampaign: readonly string[] = ['pause', 'cancel', 'suppress', 'rerun'];

export function makePlan(seed: number, options: PlanOptions): Plan {
  const dice = createDice(seed);
  const { engine, people, sharing = 1, service = 'standard' } = options;
  const strikeMs = Math.min((options.seconds ?? 600) * 1_000, Math.max(12_000, people * 9));
  const drawn: Mode = options.killsAlone ? 'background' : dice.draw({ background: 3, run: 2 });
  const mode = sharing > 1 ? 'background' : drawn;
  const plain = options.killsAlone || options.faults;
  const extras = drawExtras(seed, options.extras ?? (plain ? [] : null));
  const drawnKeys = dice.is(0.3) ? 2 : 1;
  // A Cluster has something to share with several.
  const few = engine === 'cluster' ? 3 : drawnKeys;
  const keys = extras.names.includes('keys') ? manyKeys : few;
  const rate = Math.max(keys === manyKeys ? 3 : 30, Math.ceil((people * sharing * 3_000) / strikeMs / keys));
  const closes = !options.killsAlone && dice.is(0.12) ? strikeMs * dice.between(0.5, 0.9) : null;
  const closesInMs = sharing > 1 ? null : closes;
  // Drawn in any case: a round that is played again by its own numbers is the same.
  const workers = options.policy ? 4 : dice.whole(2, 3);
  const plan: Plan = {
    seed,
    service,
    engine,
    mode,
    people,
    workers: options.processes ?? workers,
    keys,
    rate,
    strikeMs,
    mostAttempts: options.policy || (!options.killsAlone && dice.is(0.25)) ? 2 : 1,
    sharing,
    numbers: 1,
    pool: null,
    budget: null,
    policy: options.policy ? stormPolicy : null,
    promise: options.promise ?? false,
    closesInMs,
    extras,
    events: [],
  };
  if (!options.killsAlone || options.policy) {
    // Of dice of its own: a seed's other draws stay as they were. Notes of lost calls are of one number.
    const drawn = extras.names.includes('lost') || !createDice(seed ^ 0x2b).is(0.3) ? 1 : 2;
    plan.numbers = options.numbers ?? drawn;
    if (plan.numbers > 1) plan.mostAttempts = 2;
    drawLimits(createDice(seed ^ 0x9001), plan, options);
  }
  plan.events = [
    ...kills(dice, plan, options.killsAlone ?? false),
    ...(options.killsAlone ? [] : others(dice, plan, options.faults ?? null)),
    ...ofExtras(createDice(seed ^ 0xfa017), plan),
    ...(engine === 'cluster' ? ofCluster(createDice(seed ^ 0xc1), plan) : []),
  ]
    .filter(({ fault }) => sharing === 1 || !ofOneCampaign.includes(fault.kind))
    .sort((a, b) => a.atMs - b.atMs);
  return plan;
}

/** The caller numbers of a pool: the service has them. */
export const pool: readonly string[] = ['+14155550100', '+14155550101', '+12125550102'];
/** What a call costs in the mean. */
const usualCost = 0.08;

/** A run that has spent its budget ends, and waits for a person: only the background is left to wait. */
function drawLimits(dice: Dice, plan: Plan, { pool: most, budget }: PlanOptions): void {
  if (plan.service !== 'standard') return;
  const drawn = { pool: dice.is(0.3) ? dice.whole(2, 4) : null, budget: dice.is(0.25) };
  plan.pool = most ?? drawn.pool;
  const canWait = plan.mode === 'background' && plan.sharing === 1 && plan.closesInMs === null;
  if (canWait && (budget || (budget === undefined && drawn.budget)))
    plan.budget = budget ?? Math.ceil(plan.people * usualCost * 50) / 100;
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

function ofExtras(dice: Dice, { seed, extras, strikeMs }: Plan): Event[] {
  const events: Event[] = [];
  if (extras.names.includes('clocks'))
    for (const atMs of times(dice, strikeMs, clockEveryMs)) {
      const offSeconds = dice.pick([-3_600, -90, 90, 3_600]);
      const forMs = Math.round(dice.between(2_000, 4_000));
      events.push({ atMs, fault: { kind: 'clock', who: dice.roll(), offSeconds, forMs } });
    }
  if (extras.names.includes('disk')) {
    const first = Math.round(calmOf(strikeMs));
    let freeAt = 0;
    // The first comes while all dial; and one that begins while the disk is full would end with the one before.
    for (const atMs of [first, ...times(dice, strikeMs, diskEveryMs)]) {
      const forMs = Math.round(dice.between(1_500, 4_000));
      const away = atMs === first || dice.is(0.6);
      if (atMs < freeAt) continue;
      freeAt = atMs + forMs + diskRestMs;
      events.push({ atMs, fault: { kind: 'disk-full', away, forMs } });
    }
  }
  if (extras.names.includes('lost')) {
    const own = createDice(seed ^ 0x105e);
    const forMs = Math.round(own.between(5_000, 8_000));
    const atMs = Math.round(calmOf(strikeMs) + own.between(0, strikeMs / 4));
    events.push({ atMs, fault: { kind: 'lost', forMs, all: own.is(0.5), since: own.is(0.5) } });
  }
  if (extras.names.includes('twins')) events.push({ atMs: calmOf(strikeMs), fault: { kind: 'twins' } });
  return events;
}

/** The first comes soon, and stays away until its replica has its place. */
function ofCluster(dice: Dice, { strikeMs }: Plan): Event[] {
  const first = Math.round(calmOf(strikeMs));
  return [first, ...times(dice, strikeMs, masterEveryMs)].map((atMs) => ({
    atMs,
    fault: {
      kind: 'master-kill',
      who: dice.roll(),
      downMs: atMs === first ? 6_000 : Math.round(dice.between(300, 6_000)),
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
      // Only where it is asked for.
      absurd: wanted?.includes('absurd') ? 4 : 0,
      'ledger-kill': 1.5,
      'redis-kill': 2 * redis,
      'redis-snapshot': redis,
      'redis-flush': plan.engine === 'postgres' ? 0 : 1,
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

/** Random moments in order, this often on average. */
function times(dice: Dice, untilMs: number, everyMs: number): number[] {
  const moments: number[] = [];
  for (let at = calmOf(untilMs); ; ) {
    at += -Math.log(1 - dice.roll()) * everyMs;
    if (at >= untilMs) return moments;
    moments.push(Math.round(at));
  }
}
