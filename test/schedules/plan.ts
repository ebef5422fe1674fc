import type { Random } from '../../src/base/clock.ts';
import { readOrder } from '../../src/control/order/order.ts';
import type { Order } from '../../src/rules/order.ts';
import type { CreateFate, ReadFate } from './service.ts';

/** The choices of a seed before the first step: the world, and which kinds of trouble it has. */
export const kinds = [
  'answers',
  'reads',
  'crash',
  'suspend',
  'slow',
  'ledger',
  'queue',
  'skew',
  'people',
  'history',
  'lies',
  // These two are several kinds that must meet: seldom by chance alone.
  'crowd',
  'stutter',
] as const;
export type Kind = (typeof kinds)[number];

export type PlannedCampaign = { name: string; order: Order; phones: string[]; opensUntil: number | null };

export type Plan = {
  seed: number;
  startsAt: number;
  kinds: ReadonlySet<Kind>;
  keys: string[];
  processes: number;
  campaigns: PlannedCampaign[];
  /** How many numbers each person has. */
  numbers: number;
  policy: Record<string, unknown> | null;
  laneCap: number | null;
  timeoutMs: number;
  deadlineMs: number;
  pollSeconds: number | null;
  rate: number | null;
  /** Trouble ends then. */
  faultsMs: number;
  beats: { plan: number; reconcile: number; updateLanes: number; sweep: number };
  creates: readonly CreateFate[];
  createOdds: number;
  /** How often each kind of trouble strikes where it may: seldom in most schedules, again and again in some. */
  odds: {
    crash: number;
    statement: number;
    answer: number;
    double: number;
    secondMs: number;
    late: number;
    mostLateMs: number;
  };
  /** How long calls last, in seconds. */
  lasts: readonly [least: number, most: number];
  reads: readonly ReadFate[];
  readOdds: number;
  acts: number;
  /** For how many seconds the service promises that a create with the same key makes no other call; null: never. */
  promise: number | null;
  /** Whether creates are noted on the disk of the machine, which all processes share. */
  notes: boolean;
  /** The ledger is put back to what it was at the first, at the second; people say so in the calm. */
  history: { from: number; at: number; restored: boolean } | null;
  /** A run dials the campaign, not a process in the background; each run has a limit of a few calls. */
  limited: boolean;
  /** From then on the ledger cannot move the attempts of the first person, until all others are done. */
  poisonMs: number | null;
};

const troubles: readonly CreateFate[] = [
  'busy',
  'broke',
  'denied',
  'wrong-person',
  'wrong-order',
  'fails-before',
  'fails-after',
  'silent-before',
  'silent-after',
  'cut',
  'unreachable',
  'late',
];
const readTroubles: readonly ReadFate[] = ['busy', 'missing', 'fails', 'silent', 'other-call', 'unreachable'];

const shares: Partial<Record<Kind, number>> = { lies: 0.08, history: 0.14, crowd: 0.1, stutter: 0.12 };

/** A Wednesday, so that a window of its hours is open. */
const wednesday = Date.parse('2026-03-04T10:00:00Z');

export function drawPlan(seed: number, random: Random): Plan {
  const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const chance = (odds: number) => random() < odds;
  const some = <T>(of: readonly T[]) => {
    const odds = 0.2 + random() * 0.6;
    const left = of.filter(() => chance(odds));
    return left.length > 0 ? left : [one(of)];
  };
  // Each schedule has some kinds of trouble and not the others: all at once would hide what each does.
  const chosen = new Set<Kind>(kinds.filter((kind) => chance(shares[kind] ?? 0.45)));
  if (chosen.has('crowd')) chosen.add('queue');
  // The ledger's answers are lost again and again, while jobs come twice and creates take long.
  if (chosen.has('stutter')) for (const kind of ['ledger', 'queue', 'answers'] as const) chosen.add(kind);
  const isCrowd = chosen.has('crowd');
  const isStutter = chosen.has('stutter');
  const startsAt = wednesday + whole(0, 3_600) * 1_000;
  const people = whole(1, 3);
  const windowed = chance(0.15) ? whole(60, 150) * 1_000 : null;
  const campaigns = Array.from({ length: isCrowd || chance(0.4) ? 2 : 1 }, (_, nth): PlannedCampaign => {
    const isOpen = nth === 0 && windowed !== null;
    const until = startsAt + (windowed ?? 0);
    const maxAttempts = chance(chosen.has('people') ? 0.3 : 0.6) ? 1 : 2;
    const order = readOrder({
      agent: 'agent-1',
      max_attempts: String(maxAttempts),
      ...(maxAttempts > 1 ? { retry: { busy: `${whole(5, 20)}s`, 'no-answer': '10s' } } : {}),
      ...(chance(0.2) ? { on_unknown: 'redial' } : {}),
      ...(chance(0.2) ? { max_calls: String(whole(1, 2)) } : {}),
      // By the seed itself: a draw more would make other schedules of all seeds.
      ...(nth === 0 && seed % 4 === 1 ? { max_cost: '0.25' } : {}),
      ...(isOpen ? { window: `09:00-${clockText(until)}` } : {}),
    });
    // The second calls some of the same phones.
    const phones = Array.from({ length: nth === 0 || isCrowd ? people : whole(1, people) }, (_, i) =>
      phoneOf(i),
    );
    return { name: `c${nth + 1}`, order, phones, opensUntil: isOpen ? floorMinute(until) : null };
  });
  // Most calls are made in the first seconds: a longer time of trouble would mostly be idle.
  const faultsMs =
    (isCrowd
      ? whole(25, 45)
      : chosen.has('history')
        ? whole(8, 25)
        : chance(0.75)
          ? whole(4, 15)
          : whole(15, 40)) * 1_000;
  const history = chosen.has('history') ? drawHistory(faultsMs, random, chosen) : null;
  const plan: Plan = {
    seed,
    startsAt,
    kinds: chosen,
    keys: chance(0.25) ? ['one', 'two'] : ['one'],
    processes: one([1, 2, 2, 2, 2, 3]),
    campaigns,
    policy: isCrowd || chance(0.25) ? drawPolicy(whole, chance) : null,
    laneCap: chance(0.15) ? whole(1, 3) : null,
    timeoutMs: whole(1, 5) * 1_000,
    deadlineMs: 120_000,
    pollSeconds: isCrowd ? 2 : chance(0.9) ? whole(2, 10) : null,
    rate: isStutter ? 20 : chance(0.9) ? one([1, 1, 5, 20]) : null,
    faultsMs,
    beats: {
      // A ledger that was put back has people to plan again, and a process that has not looked would plan them.
      plan: (history ? whole(1, 3) : whole(20, 60)) * 1_000,
      reconcile: whole(30, 90) * 1_000,
      // the lane updater looks at the history, too.
      updateLanes: history ? lookMs : whole(60, 120) * 1_000,
      sweep: whole(40, 100) * 1_000,
    },
    creates: isStutter ? ['silent-after', 'late', 'busy'] : some(troubles),
    createOdds: chosen.has('answers') ? (isStutter ? 0.6 : 0.1) + random() * (isStutter ? 0.3 : 0.5) : 0,
    odds: {
      crash: one([0.02, 0.02, 0.08, 0.25]),
      statement: isStutter ? 0.45 : one([0.02, 0.02, 0.1]),
      // Whether a statement that is lost was run.
      answer: isStutter ? one([0.9, 0.6]) : 0.5,
      double: isStutter ? 0.9 : one([0.1, 0.1, 0.5]),
      // How much later the second comes, at most.
      secondMs: isStutter ? 200 : 3_000,
      late: isCrowd ? 0.7 : one([0.2, 0.2, 0.6]),
      mostLateMs: isCrowd ? 25_000 : one([5_000, 15_000]),
    },
    lasts: isCrowd || chance(0.5) ? [1, 4] : [2, 15],
    reads: some(readTroubles),
    readOdds: chosen.has('reads') ? 0.1 + random() * 0.4 : 0,
    acts: chosen.has('people') ? whole(1, 4) : 0,
    // By the seed itself, as above.
    promise: seed % 3 !== 2 || chosen.has('lies') ? null : seed % 2 === 0 ? 40 : 600,
    notes: history !== null || chance(0.8),
    history,
    // Drawn last: what the seeds drew before stays as it was. Notes of lost calls are of one number.
    numbers: history === null && chance(0.3) ? 2 : 1,
    limited: false,
    poisonMs: null,
  };
  const drawn = { ...plan, campaigns: plan.campaigns.map(fromPool(whole, chance)) };
  return seed % 8 === 5 ? asRuns(drawn) : seed % 8 === 3 ? poisoned(drawn) : drawn;
}

/** These decide by the seed itself, as above, where no other kind of trouble takes their rules away. */
const isPlain = ({ kinds }: Plan) =>
  !(['people', 'history', 'lies', 'crowd'] as const).some((kind) => kinds.has(kind));

function asRuns(plan: Plan): Plan {
  if (!isPlain(plan)) return plan;
  return {
    ...plan,
    campaigns: plan.campaigns.slice(0, 1).map(({ name, order }) => ({
      name,
      order: { ...order, maxCalls: null, times: null, maxCost: null },
      phones: [0, 1, 2, 3, 4, 5].map(phoneOf),
      opensUntil: null,
    })),
    processes: 1,
    promise: null,
    limited: true,
    // Runs end between the plan and the intent, and the next may make fewer calls than are planned.
    kinds: new Set([...plan.kinds, 'crash']),
    rate: 5,
    laneCap: null,
    faultsMs: 30_000,
    beats: { ...plan.beats, plan: 2_000 },
  };
}

/** What one person's attempt keeps from others by right is taken out: a place, a phone, money. */
function poisoned(plan: Plan): Plan {
  if (!isPlain(plan)) return plan;
  const campaigns = plan.campaigns.slice(0, 1).map(({ order, ...rest }) => ({
    ...rest,
    order: { ...order, maxCalls: null, callers: [], perNumberCalls: null, maxCost: null },
    phones: [0, 1, 2, 3].map(phoneOf),
  }));
  return { ...plan, campaigns, laneCap: null, poisonMs: (plan.seed % 7) * 700 };
}

/** Some call from a pool whose numbers may have few calls at once: one for all campaigns, drawn last. */
function fromPool(whole: (least: number, most: number) => number, chance: (odds: number) => boolean) {
  if (!chance(0.25)) return (campaign: PlannedCampaign) => campaign;
  const callers = Array.from({ length: whole(1, 2) }, (_, nth) => ({ number: `+1212555${100 + nth}0` }));
  const perNumberCalls = whole(1, 2);
  return ({ order, ...rest }: PlannedCampaign): PlannedCampaign => ({
    ...rest,
    order: { ...order, callers, perNumberCalls },
  });
}

/**
 * The answers that people got in the part that is lost are lost too, and nobody knows what a process that died had heard.
 * And each process looks at the history in time.
 */
const quietWithHistory = ['people', 'lies', 'crash', 'skew', 'suspend', 'slow', 'ledger'] as const;
/** As often as the product does. */
const lookMs = 2_100;

function drawHistory(faultsMs: number, random: Random, chosen: Set<Kind>) {
  for (const kind of quietWithHistory) chosen.delete(kind);
  // Most people are called in the first seconds: the kept state is from then, or from before.
  const from = random() ** 2 * faultsMs * 0.8;
  return { from, at: from + random() * (faultsMs - from), restored: random() < 0.35 };
}

export function drawPolicy(
  whole: (least: number, most: number) => number,
  chance: (odds: number) => boolean,
) {
  return {
    ...(chance(0.6) ? { caps: [{ calls: whole(1, 2), per: `${whole(2, 3)}m` }] } : {}),
    gap: '30s',
  };
}

export const phoneOf = (nth: number) => `+1415555${String(100 + nth).padStart(4, '0')}`;
/** The other number of the person with this one. */
export const otherOf = (phone: string) => phone.replace('+1415555', '+1415666');
/** The first number of the person who has this one. */
export const personOf = (phone: string) => phone.replace('+1415666', '+1415555');
/** Everybody is in one zone, so that the judge reads the hours by himself. */
export const place = 'Etc/UTC';

const floorMinute = (at: number) => Math.floor(at / 60_000) * 60_000;
const clockText = (at: number) => new Date(floorMinute(at)).toISOString().slice(11, 16);
