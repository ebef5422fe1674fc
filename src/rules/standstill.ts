import { quoteWord } from '../base/terminal-safe.ts';
import { brakeOf, orderFaults } from './order.ts';
import type { CountedWait } from './wait-reason.ts';

/**
 * Why a campaign makes no call: the one rule behind every place that says so. Pure: the facts come from
 * src/control/campaigns/standstill.ts.
 */
const pauses = ['paused', 'first', 'stop-at', 'order', 'history-lost'] as const;
const nobodyDials = ['no-run', 'no-worker'] as const;
/** What holds people who are due, the gravest first. */
const holds = ['budget', 'refused', 'no-credit', 'number', 'phone-in-use', 'calls', 'rate'] as const;
/** Nobody is due before a time. */
const timeWords = {
  start: 'its start is still to come',
  window: 'its calling hours are closed',
  date: 'nobody is called on this date',
  'legal-hours': 'the legal calling hours are closed',
  cap: 'a contact rule holds everyone who is left',
  gap: 'a contact rule holds everyone who is left',
  conversation: 'a contact rule holds everyone who is left',
  retry: 'everyone who is left waits for their next attempt',
  callback: 'everyone who is left asked to be called later',
} as const;
const times = Object.keys(timeWords) as (keyof typeof timeWords)[];
/** The last one: nobody is left to call, and some calls are in doubt. */
export const causes = [...pauses, ...nobodyDials, ...holds, ...times, 'unknown'] as const;
export type Cause = (typeof causes)[number];

/** A time, by itself; a person who resumes it; or another act, or the recovery of what fails. */
export const endings = ['time', 'resume', 'act'] as const;

export type Standstill = {
  cause: Cause;
  ends: (typeof endings)[number];
  /** What ends it, if neither a time nor its resumption does; it follows on "It goes on ". */
  endsWhen: string | null;
  /** Whose budget allows no further call; null for another cause. */
  budget: BudgetKind | null;
  /** What happened; it follows on "NAME calls nobody: ". */
  message: string;
  since: Date;
  /** When it ends without an act, if the time is known; else null. */
  until: Date | null;
  /** What to do, as a sentence; commands stand between backticks. */
  act: string;
  /** How many people wait for it. */
  people: number;
};

type BudgetKind = 'campaign' | 'day' | 'month';

type StandstillFacts = {
  campaign: {
    name: string;
    state: string;
    reason: string | null;
    /** How often in a row the service refused its order. */
    faults: number;
    since: Date;
    driver: string;
    runLives: boolean;
    agents: readonly { id: string }[];
  };
  counts: { waiting: number; queued: number; parked: number; calling: number; unknown: number };
  /** Why its people wait. Empty where that is not known: then a running campaign does not stand still. */
  waits: readonly CountedWait[];
  /** Why no process dials campaigns in the background; null while one does. */
  trouble: string | null;
  /** The budget that lets no further call pass; `next` is what one more may cost. */
  budget:
    | (Record<'most' | 'spent' | 'reserved', number> & {
        kind: BudgetKind;
        next: number | null;
        currency: string | null;
      })
    | null;
  keys: readonly { name: string; state: string; reason: string | null; since: Date; probeAt: Date | null }[];
  /** When a call of it last began or ended, to the minute; null before the first. */
  lastCall: Date | null;
  /** When somebody changed it: it has its turn a moment later. */
  changedAt: Date | null;
  now: number;
};

/** A campaign waits this long for a token or a free place without standing still. */
const turnMs = 60_000;

/** Null while it makes calls, and when nobody is left for whom it could. */
export function findStandstill(facts: StandstillFacts): Standstill | null {
  const { campaign, counts, trouble } = facts;
  const { state, driver, runLives } = campaign;
  const people = counts.waiting + counts.queued + counts.parked;
  if (people + counts.unknown === 0 || (state !== 'paused' && state !== 'running')) return null;
  // Only a person settles these, whatever the state.
  if (people === 0 && counts.calling === 0) return standstillOf(facts, 'unknown', { people: counts.unknown });
  if (state === 'paused') return standstillOf(facts, pauseCause(campaign), { since: campaign.since });
  if (driver === 'run' && !runLives) return standstillOf(facts, 'no-run');
  if (driver === 'background' && trouble !== null) return standstillOf(facts, 'no-worker');
  return counts.calling > 0 ? null : ofWaits(facts);
}

/** True for what ends only when a person acts, or when what fails recovers. */
export const needsPerson = ({ cause, ends }: Standstill): boolean => cause !== 'paused' && ends !== 'time';

const endingOf = (cause: Cause): Standstill['ends'] => {
  if (byTime.has(cause)) return 'time';
  return cause === 'paused' || cause === 'first' || cause === 'stop-at' ? 'resume' : 'act';
};

const byTime: ReadonlySet<string> = new Set(times);
const holding: ReadonlySet<string> = new Set(holds);
/** True for what holds people who are due, inside their hours. */
export const holdsTheDue = (cause: Cause): boolean => holding.has(cause);

/** A person paused it, its run ended, or people were added when it was done: its reason says which. */
function pauseCause({ reason, faults }: StandstillFacts['campaign']): Cause {
  if (reason === 'history-lost') return reason;
  return brakeOf(reason) ?? (faults >= orderFaults ? 'order' : 'paused');
}

/** What holds the people who are due comes first; of times, the earliest. */
function ofWaits(facts: StandstillFacts): Standstill | null {
  const { waits, keys, changedAt, now } = facts;
  for (const cause of holds) {
    const wait = waits.find(({ reason, n }) => reason === cause && n > 0);
    if (!wait) continue;
    const { n: people, until } = wait;
    const found = standstillOf(facts, cause, { people, until, ...sinceKeys(facts, cause) });
    if (cause !== 'rate' && cause !== 'calls') return found;
    // It may have its turn only since somebody changed it, or since its keys opened.
    const able = [found.since, changedAt, ...keys.filter(isOpen).map(({ since }) => since)];
    const since = new Date(Math.min(now, Math.max(...able.map((at) => at?.getTime() ?? 0))));
    return now - since.getTime() < turnMs ? null : { ...found, since };
  }
  const [next] = waits
    .filter(({ reason }) => byTime.has(reason))
    .sort((a, b) => (a.until?.getTime() ?? Infinity) - (b.until?.getTime() ?? Infinity));
  return next ? standstillOf(facts, next.reason as Cause, { people: next.n, until: next.until }) : null;
}

const isOpen = ({ state }: { state: string }) => state === 'open';

/** Closed keys stand since the first of them closed, and ask the service again by themselves. */
function sinceKeys(facts: StandstillFacts, cause: Cause): Partial<Standstill> {
  const closed = closedKeys(facts, cause);
  const times = (of: (key: (typeof closed)[number]) => Date | null) =>
    closed.flatMap((key) => of(key)?.getTime() ?? []);
  const probes = times(({ probeAt }) => probeAt);
  return closed.length === 0
    ? {}
    : {
        since: new Date(Math.min(...times(({ since }) => since))),
        until: probes.length > 0 ? new Date(Math.min(...probes)) : null,
      };
}

const closedKeys = ({ keys }: StandstillFacts, cause: Cause) =>
  keys.filter(({ state }) =>
    cause === 'no-credit'
      ? state === 'out_of_credit'
      : cause === 'refused' && /^(?:failing|denied)$/.test(state),
  );

function standstillOf(facts: StandstillFacts, cause: Cause, given: Partial<Standstill> = {}): Standstill {
  const { campaign, counts, lastCall, now } = facts;
  const [message, act, endsWhen = endsBy[cause] ?? null] = words(facts, cause);
  const since = given.since ?? new Date(Math.max(campaign.since.getTime(), lastCall?.getTime() ?? 0));
  return {
    cause,
    ends: endingOf(cause),
    endsWhen,
    budget: cause === 'budget' ? (facts.budget?.kind ?? null) : null,
    message,
    act,
    until: null,
    people: counts.waiting + counts.queued + counts.parked,
    ...given,
    since: since.getTime() > now ? new Date(now) : since,
  };
}

/** What usually ends it. */
const endsBy: Partial<Record<Cause, string>> = {
  order: 'when its settings are corrected',
  'history-lost': 'when the history is confirmed',
  'no-run': 'when a run drives it',
  'no-worker': 'when a process dials',
  budget: 'when the budget is raised',
  refused: 'when the service answers',
  'no-credit': 'when there is credit',
  number: 'as calls end',
  'phone-in-use': 'when that call ends',
  calls: 'as calls end',
  rate: 'when a key calls them',
  unknown: 'when its unknown calls are settled',
};

/** What happened, what to do, and what ends it where it is not the usual. */
function words(facts: StandstillFacts, cause: Cause): [message: string, act: string, ...endsWhen: string[]] {
  const { campaign, counts, trouble, budget } = facts;
  const name = quoteWord(campaign.name);
  const agents = campaign.agents.map(({ id }) => id).join(', ');
  const resume = `\`carillon campaign resume ${name}\``;
  const settle = `\`carillon unknown list --campaign ${name}\``;
  const unknown = counts.unknown === 1 ? '1 unknown call' : `${counts.unknown} unknown calls`;
  const keys = closedKeys(facts, cause);
  const names = keys.map((key) => key.name).join(', ') || 'every key';
  const reason = keys.find((key) => key.reason !== null)?.reason ?? null;
  const because = reason === null ? '' : ` (${reason})`;
  switch (cause) {
    case 'paused':
      return [campaign.reason ?? 'it is paused', `Resume it: ${resume}.`];
    case 'first':
      return ['its first people were called', `Hear these calls, then resume it: ${resume}.`];
    case 'stop-at':
      return [
        campaign.reason!.replace(/^stop-at: /, ''),
        `See why its calls fail, then resume it: ${resume}.`,
      ];
    case 'order':
      return [
        `the service refuses its settings${campaign.reason === null ? '' : `: ${campaign.reason}`}`,
        `Correct what the service names (agent: ${agents}), then resume it: ${resume}.`,
      ];
    case 'history-lost':
      return [
        'the ledger lost some of its history',
        'Run `carillon ledger show`, then `carillon ledger confirm`.',
      ];
    case 'no-run':
      return ['its run has ended', `Start the run again, or continue in the background: ${resume}.`];
    case 'no-worker':
      return [
        trouble!,
        'Start `carillon up` or `carillon worker`, or repair it: `carillon doctor` says how.',
      ];
    case 'budget': {
      const holds = budget !== null && counts.unknown > 0 && budget.reserved > 0;
      const raise =
        budget?.kind === 'campaign'
          ? 'raise its budget (`max_cost`)'
          : `raise VOICE_MAX_COST, or wait for the next ${budget?.kind ?? 'period'}`;
      return [
        budgetWords(facts),
        holds
          ? `Settle ${unknown}, which frees what is reserved (${settle}), or ${raise}.`
          : `${raise[0]!.toUpperCase()}${raise.slice(1)}.`,
        ...(holds ? ['when its unknown calls are settled, or the budget is raised'] : []),
      ];
    }
    case 'refused':
      return keys.some(({ state }) => state === 'denied')
        ? [
            `the service does not accept ${names}${because}`,
            `Correct the key, then try it: \`carillon keys resume ${quoteWord(keys[0]!.name)}\`.`,
            'when the key is corrected',
          ]
        : [
            `the service fails on ${names}${because}`,
            'Carillon asks again by itself, and continues when it answers.',
          ];
    case 'no-credit':
      return [`no credit on ${names}${because}`, 'Top up the account: Carillon asks again by itself.'];
    case 'number':
      return [
        'all its caller numbers are full or rest',
        'Give it more numbers, or wait until one is free (`carillon numbers`).',
      ];
    case 'phone-in-use':
      return [
        'other attempts have the phones of those who are due',
        `It continues when these have ended; settle unknown ones: \`carillon unknown list\`.`,
      ];
    case 'calls':
      return ['other campaigns have every free place of its keys', 'Give it a greater weight, or wait.'];
    case 'rate':
      return [
        'its people are due, and no key has called them',
        'See what its keys and their processes do (`carillon keys`, `carillon doctor`).',
      ];
    case 'unknown':
      return [`${unknown} may have been made, and nobody else is left to call`, `Settle them: ${settle}.`];
    default:
      return [timeWords[cause], 'Nothing needs to be done: it continues by itself.'];
  }
}

function budgetWords({ budget }: StandstillFacts): string {
  if (!budget) return 'its budget is spent or reserved';
  const { kind, most, spent, reserved, next, currency } = budget;
  const whose = kind === 'campaign' ? 'its budget' : `the budget of the ${kind}`;
  const kept = reserved > 0 ? ` and ${amount(reserved)} reserved` : '';
  const each = next === null ? '' : `; a call may cost up to ${amount(next)}`;
  return `${whose} allows no further call: ${amount(spent)} spent${kept} of ${amount(most)}${currency === null ? '' : ` ${currency}`}${each}`;
}

const amount = (money: number) => money.toFixed(2);
