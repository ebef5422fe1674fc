import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { BudgetState } from '../ledger/budgets/budgets.ts';
import type { Campaign } from '../ledger/campaigns/campaigns.ts';
import type { LaneLine } from '../ledger/lanes/lanes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Standing } from '../ledger/reports/reports.ts';
import { brakeOf, orderFaults } from '../rules/order.ts';
import type { RunLock } from './prepare.ts';

/** Watches a run from its first call to its end, and reports why it ended. */
export type Ending =
  | { kind: 'done' }
  /** Something waits for a person. */
  | {
      kind: 'stuck';
      why: 'parked' | 'unknown' | 'denied' | 'refused' | 'failing' | 'history-lost' | 'budget';
      words: string | null;
    }
  /** The first people of --first were called. */
  | { kind: 'first' }
  /** --limit was reached. */
  | { kind: 'limit' }
  /** The campaign was canceled from elsewhere. */
  | { kind: 'canceled' }
  /** Another run holds the lock. */
  | { kind: 'ousted' }
  | { kind: 'interrupted' };

export type Look = { standing: Standing; lanes: LaneLine[]; nextAt: Date | null };

export type DriveOptions = {
  ledger: Ledger;
  campaignId: string;
  runId: string;
  runLock: RunLock;
  /** Those of this process now. */
  lanes(): readonly number[];
  on402: 'wait' | 'exit';
  /** From when on a call must be in the service's list; null where there is none. */
  lagSeconds: number | null;
  signal: AbortSignal;
  clock: Clock;
  log: Log;
  show(look: Look): void;
  /** Called once, when all calls are over and some records are still incomplete. */
  completing(): void;
};

/** Why the ledger paused every campaign: see src/ledger/functions/lost_history.sql. */
const historyLost = 'history-lost';
const lookMs = 500;
const mostRestMs = 10_000;
/** A run that starts on a key without credit asks once more; how long that request may take to leave. */
const firstProbeMs = 10_000;
/** How long a run that is over waits for what its service adds to the last records. */
const completeMs = 20_000;
/** How long other keys may take to find calls whose own key was closed. */
const orphanMs = 75_000;

export async function drive(options: DriveOptions): Promise<Ending> {
  const { ledger, campaignId, clock, signal } = options;
  const startedAt = clock.monotonic();
  let orphanedAt: number | null = null;
  let doneAt: number | null = null;
  while (!signal.aborted) {
    const began = clock.monotonic();
    let restMs = lookMs;
    try {
      if (!(await options.runLock.keep())) return { kind: 'ousted' };
      // Read before the calls in progress: the last that the limit allows is among them, or over.
      const seen = await ledger.campaigns.seen(campaignId, options.runId);
      if (seen === null) return { kind: 'ousted' };
      const look = await lookAt(options);
      options.show(look);
      // Counting a large campaign takes a while: it may take a tenth of the time at most.
      restMs = Math.min(mostRestMs, Math.max(lookMs, (clock.monotonic() - began) * 9));
      const isYoung = clock.monotonic() - startedAt < firstProbeMs;
      const ending = await judge({ ...look, ...seen, options, isYoung });
      if (ending) {
        if (!isOver(ending) || !(await ledger.refreshes.coming(campaignId))) return ending;
        if (doneAt === null) options.completing();
        doneAt ??= clock.monotonic();
        if (clock.monotonic() - doneAt > completeMs) return ending;
      } else doneAt = null;
      if (!(await onlyOrphans(options, look))) orphanedAt = null;
      else {
        orphanedAt ??= clock.monotonic();
        if (clock.monotonic() - orphanedAt > orphanMs) return orphaned(look);
      }
    } catch (error) {
      options.log.warn(
        { err: (error as Error).message },
        'the ledger could not be read; the run continues when it can',
      );
    }
    await clock.sleep(restMs, signal);
  }
  return { kind: 'interrupted' };
}

/** Nobody is called any more. */
function isOver(ending: Ending): boolean {
  return (
    ending.kind === 'done' ||
    (ending.kind === 'stuck' && (ending.why === 'unknown' || ending.why === 'budget'))
  );
}

async function lookAt(options: DriveOptions): Promise<Look> {
  const { ledger, campaignId } = options;
  // The keys first: a question about credit that is sent meanwhile is seen among the campaign's rows, or still due.
  const lanes = await ledger.lanes.list();
  const [standing, nextAt] = await Promise.all([
    ledger.reports.standing(campaignId),
    ledger.campaigns.nextDue(campaignId),
  ]);
  return { standing, lanes: lanes.filter((lane) => options.lanes().includes(lane.id)), nextAt };
}

/** A look with all that a rule needs to judge it. */
type Scene = Look & {
  options: DriveOptions;
  /** How many calls its --limit still allows; null without one. */
  callsLeft: number | null;
  counts: Standing['counts'];
  /** People who are not called yet, and are not parked. */
  pending: number;
  /** Nobody is on the line. */
  isQuiet: boolean;
  /** The run is so young that the first question about credit may still be on its way. */
  isYoung: boolean;
};

/** `continue`: the run goes on, whatever the rules below would say. */
type Judged = Ending | 'continue' | null;

/** The rules by which a run ends. The first that answers holds, so their order is part of their meaning. */
const rules: readonly ((scene: Scene) => Judged | Promise<Judged>)[] = [
  isCanceled,
  isPausedByItself,
  isDenied,
  isOut,
  lacksCredit,
  hasSpent,
  hasReachedLimit,
];

async function judge(seen: Omit<Scene, 'counts' | 'pending' | 'isQuiet'>): Promise<Ending | null> {
  const { counts } = seen.standing;
  const pending = counts.waiting + counts.queued;
  const scene: Scene = { ...seen, counts, pending, isQuiet: counts.calling === 0 };
  for (const rule of rules) {
    const judged = await rule(scene);
    if (judged) return judged === 'continue' ? null : judged;
  }
  return null;
}

function isCanceled({ standing, isQuiet }: Scene): Judged {
  return standing.state === 'canceled' && isQuiet ? { kind: 'canceled' } : null;
}

function isPausedByItself({ standing, isQuiet }: Scene): Judged {
  const { state, faults, reason } = standing;
  if (state !== 'paused' || !isQuiet) return null;
  if (faults >= orderFaults) return { kind: 'stuck', why: 'refused', words: reason };
  if (reason === historyLost) return { kind: 'stuck', why: 'history-lost', words: null };
  switch (brakeOf(reason)) {
    case 'first':
      return { kind: 'first' };
    case 'stop-at':
      return { kind: 'stuck', why: 'failing', words: reason };
    case null:
      return null;
  }
}

function isDenied({ lanes }: Scene): Judged {
  if (!lanes.every(({ state }) => state === 'denied')) return null;
  return { kind: 'stuck', why: 'denied', words: lanes[0]?.reason ?? null };
}

/** Nobody is left to be called. */
async function isOut({ options, standing, counts, pending, lanes }: Scene): Promise<Judged> {
  if (pending + counts.calling + counts.parked > 0) return null;
  // The owner wants these called again, as soon as their requests can no longer be on their way.
  if (standing.redials > 0) return 'continue';
  if (counts.unknown === 0) return { kind: 'done' };
  // The last one that was asked about may have been found since the look.
  const goesOn = (await willBeAsked(options, lanes)) || (await isBusy(options));
  return goesOn ? 'continue' : { kind: 'stuck', why: 'unknown', words: null };
}

function lacksCredit({ options, counts, pending, lanes, isYoung }: Scene): Judged {
  if (options.on402 !== 'exit' || counts.calling + counts.queued > 0) return null;
  const broke = lanes.filter(({ state }) => state === 'out_of_credit');
  if (broke.length === 0) return null;
  // A key on which the service fails is waited for.
  const canDial = lanes.some(({ state }) => state === 'open' || state === 'failing');
  if (canDial && pending > 0) return null;
  // A question that is due may find that there is credit again.
  const isAsked = isYoung && broke.some(({ probeAt }) => (probeAt?.getTime() ?? 0) <= options.clock.now());
  return isAsked ? null : { kind: 'stuck', why: 'parked', words: broke[0]!.reason };
}

/** The campaign's own budget lets nobody pass; that of a day or a month is waited for, as closed hours are. */
async function hasSpent({ options, counts, pending }: Scene): Promise<Judged> {
  if (counts.calling + counts.queued > 0 || pending === 0) return null;
  const budget = await options.ledger.budgets.ofCampaign(options.campaignId);
  if (!budget || budget.fits || (await isBusy(options))) return null;
  // The first cost is still to be told.
  if (budget.awaits) return 'continue';
  return { kind: 'stuck', why: 'budget', words: spentWords(budget) };
}

function spentWords({ spent, most, reserved, next, currency, mixed }: BudgetState): string {
  const of = currency === null ? '' : ` ${currency}`;
  if (mixed) return 'the service tells costs in several currencies, which no budget can count';
  const held = reserved > 0 ? `, and ${amount(reserved)} reserved for calls whose cost is not known yet` : '';
  const more = next === null ? '' : `; ${amount(next)} would be reserved for another call`;
  return `${amount(spent)} of ${amount(most)}${of} spent${held}${more}`;
}

const amount = (money: number) => String(Number(money.toFixed(4)));

function hasReachedLimit({ callsLeft, isQuiet }: Scene): Judged {
  return callsLeft === 0 && isQuiet ? { kind: 'limit' } : null;
}

/** The service may still say what became of attempts in doubt: the run ends when it was asked. */
async function willBeAsked(
  { ledger, campaignId, lagSeconds }: DriveOptions,
  lanes: readonly LaneLine[],
): Promise<boolean> {
  if (lanes.every((lane) => lane.state === 'denied')) return false;
  return (await ledger.unknowns.unasked(campaignId, lagSeconds)) > 0;
}

/** A call may have started since the last look at the campaign: follow it to its end. */
async function isBusy({ ledger, campaignId }: DriveOptions): Promise<boolean> {
  const { counts } = await ledger.reports.standing(campaignId);
  return counts.calling + counts.queued > 0;
}

/** True when all that is left are calls of keys that were closed: other keys may find them, or nobody can. */
async function onlyOrphans(
  { ledger, campaignId }: DriveOptions,
  { standing, lanes }: Look,
): Promise<boolean> {
  const { waiting, queued, parked, calling } = standing.counts;
  if (waiting + queued + parked > 0 || calling === 0) return false;
  const denied = lanes.filter((lane) => lane.state === 'denied').map((lane) => lane.id);
  if (denied.length === 0) return false;
  const loads = await ledger.lanes.loads();
  const followed = loads.filter((load) => load.campaignId === campaignId && !denied.includes(load.laneId));
  return followed.every((load) => load.placed + load.dialing === 0);
}

function orphaned({ lanes }: Look): Ending {
  const words = lanes.find((lane) => lane.state === 'denied')?.reason ?? null;
  return { kind: 'stuck', why: 'denied', words };
}

/** The end of a run: the campaign rests, and planned people wait again or are parked. */
export async function layDown(
  ledger: Ledger,
  campaign: Campaign,
  runId: string,
  ending: Ending,
): Promise<void> {
  const { campaigns, attempts } = ledger;
  if (ending.kind === 'stuck' && ending.why === 'parked') {
    await campaigns.parkRest(campaign.id, ending.words ?? 'insufficient credits');
  } else {
    await attempts.release(campaign.id, 'the run ended');
  }
  const isDone = ending.kind === 'done';
  await campaigns.rest(campaign.id, runId, isDone ? 'done' : 'paused', isDone ? null : reasonOf(ending));
}

/** The reason of a campaign that is paused because its run reached its --limit. */
export const limitReached = 'the run’s limit was reached';

function reasonOf(ending: Ending): string {
  if (ending.kind === 'stuck') return `${ending.why}${ending.words ? `: ${ending.words}` : ''}`;
  if (ending.kind === 'first') return 'first';
  return ending.kind === 'limit' ? limitReached : 'the run was interrupted';
}
