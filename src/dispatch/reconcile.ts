import type { Asides } from '../base/asides.ts';
import type { Log } from '../base/log.ts';
import type { Meters } from '../base/metrics/meters.ts';
import type { Lane } from '../lane/lane.ts';
import type { Adrift } from '../ledger/attempts/repairs.ts';
import { isLedgerAway } from '../ledger/database.ts';
import type { ProbeWindow } from '../ledger/lanes/lanes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Queues } from '../queues/queues.ts';
import { type Calendar, neverOpens, nextOpening } from '../rules/calendar/calendar.ts';
import type { FreeUnsent } from './disk/free-unsent.ts';
import type { Spool } from './disk/spool.ts';
import { handOver } from './health/breaker.ts';
import type { Scope, Tools } from './scope.ts';
import { endInDoubt } from './spans.ts';

/** The reconcile station: makes queue and lanes agree with the ledger again, whatever was lost. */
type ReconcileDeps = Tools & {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  lanes(): readonly Lane[];
  spool: Spool;
  asides: Asides;
  unsent: FreeUnsent;
  baseUrl: string;
  log: Log;
  meters: Meters;
};

/** How many late jobs of a lane are checked: each takes a question to the queue. */
const mostLate = 100;

type Verdict = { why: string | null; until: number };

export function createReconcile(deps: ReconcileDeps) {
  const { ledger, queues, scope, log } = deps;
  const { guard, parts } = deps.asides;
  /** A step that fails does not keep the others from being taken. */
  const step = (name: string, work: () => Promise<unknown>) => guard('reconciler', name, work);
  /** Moves all attempts in a state; where one of them fails the move, the others. */
  const move = async (state: string, work: (only: readonly string[] | null) => Promise<string[]>) =>
    (await parts('reconciler', () => ledger.attempts.inState(deps.baseUrl, state), work)).flat();
  /** Whether a calendar ever opens in a place; asked again once it has opened. */
  const verdicts = new WeakMap<Calendar, Map<string, Verdict>>();

  /** Call ids come first: they may belong to attempts that would become unknown next. */
  const replaySpool = async () => {
    try {
      const told = await deps.spool.replay(async (entry) => {
        // The attempt was given up while its answer was on disk. The call exists, and a person must see it.
        if (!(await ledger.attempts.placed(entry))) await ledger.attempts.late(entry.id, entry.callId);
      });
      if (told > 0) log.info({ calls: told }, 'call ids that were kept on disk are in the ledger');
    } catch (error) {
      // An id that the ledger refuses stays on disk, and must not hold up the rest.
      if (isLedgerAway(error)) throw error;
      log.error({ err: (error as Error).message }, 'a call id from disk could not be written to the ledger');
    }
  };

  /** Runs before the other attempts of the dead become unknown. */
  const freeUnsent = async () => {
    const freed = await deps.unsent();
    if (freed === 0) return;
    log.info(
      { attempts: freed },
      'attempts of a dead dialer never left, as its journal proves: they wait again',
    );
    deps.nudge();
  };

  const findCrashed = async () => {
    const lost = await move('dialing', (only) => ledger.attempts.crash(deps.baseUrl, only));
    deps.meters.unknown.inc({ cause: 'crashed' }, lost.length);
    endInDoubt(lost, 'crashed');
    if (lost.length > 0) log.warn({ attempts: lost.length }, 'attempts whose dialer died are unknown');
  };

  /** Each process knows the calls that it placed itself; the ledger knows those that are over. */
  const findTwins = async () => {
    const found = await move('placed', (only) => ledger.attempts.twins(deps.baseUrl, only));
    deps.meters.unknown.inc({ cause: 'twin' }, found.length);
    endInDoubt(found, 'twin');
    if (found.length > 0)
      log.error({ attempts: found.length }, 'the service gave one call’s id to several attempts: unknown');
  };

  const unpark = () => move('parked', ledger.lanes.unpark);

  const finish = async () => {
    const each = <T>(work: (only: readonly string[] | null) => Promise<T[]>) =>
      parts('reconciler', () => ledger.campaigns.ids(deps.baseUrl), work);
    for (const { name } of (await each((only) => ledger.campaigns.finish(deps.baseUrl, only))).flat())
      log.info({ campaign: name }, 'the campaign is done');
    for (const id of (await each((only) => ledger.campaigns.wakeEvergreen(deps.baseUrl, only))).flat())
      log.info({ campaign: id }, 'the campaign continues with the people who were added');
  };

  /** Redials for campaigns whose owners accept a second call. */
  const redial = async () => {
    const freed = await move('unknown', (only) =>
      ledger.attempts.redial(deps.baseUrl, scope.campaignId, only),
    );
    if (freed.length === 0) return;
    log.warn({ attempts: freed.length }, 'unknown calls are redialled, as the campaign says');
    deps.nudge();
  };

  const restoreJobs = async (overdueSeconds: number) => {
    const adrift = await ledger.attempts.adrift(deps.baseUrl, scope.campaignId, overdueSeconds);
    const failed: unknown[] = [];
    for (const lane of deps.lanes()) {
      const mine = adrift.filter((attempt) => attempt.laneId === lane.id);
      // On a Cluster the server of one lane may be away, and the others need their jobs.
      await restoreOn(lane, mine, overdueSeconds > 0).catch((error) => failed.push(error));
    }
    if (failed.length > 0) throw failed[0];
  };

  const restoreOn = async (lane: Lane, mine: readonly Adrift[], isLate: boolean) => {
    await queues.add(lane.bucket, 'dial', ids(mine, 'planned'));
    const placed = mine.filter((attempt) => attempt.state === 'placed');
    // A process whose clock was wrong may have put them off by as much before it knew.
    const late = isLate ? placed.slice(0, mostLate) : [];
    await Promise.all(late.map(({ id }) => queues.sooner(lane.bucket, 'track', id, 0)));
    // Polls that are due later stay later: a start must not ask about every call at once.
    const now = deps.clock.now();
    await Promise.all(
      placed.map(({ id, nextPollAt }) =>
        queues.addLater(lane.bucket, 'track', id, (nextPollAt?.getTime() ?? now) - now),
      ),
    );
  };

  /** People of long lists are found by parts of their names once these are stored; each round spends a second on it. */
  const fillWords = async () => {
    const end = deps.clock.monotonic() + 1_000;
    while ((await ledger.search.fillWords(5_000)) && deps.clock.monotonic() < end);
  };

  let started = false;
  let anyLost = false;
  const station = {
    /** The next round of this process; the first is the start. */
    async next(): Promise<void> {
      const gone = anyLost;
      anyLost = false;
      if (started) return station.round(gone);
      await station.start();
      started = true;
    },

    /** A job was lost with its worker, so the next round looks for more of them. */
    lost(): void {
      anyLost = true;
    },

    /** Nothing is known of the queue at the start, so every job that should exist is added. */
    async start(): Promise<void> {
      await replaySpool();
      await step('what never left', freeUnsent);
      await step('crashed dialers', findCrashed);
      await step('parked attempts', unpark);
      // A run owns its campaign: attempts planned for a key that is no longer set are planned again.
      if (scope.campaignId) {
        const lanes = deps.lanes().map((lane) => lane.id);
        await ledger.attempts.rehome(scope.campaignId, lanes);
      }
      await restoreJobs(-86_400);
    },

    /** `gone`: jobs were lost with a dead worker, so a late poll has no job. */
    async round(gone = false): Promise<void> {
      await replaySpool();
      await step('what never left', freeUnsent);
      await step('crashed dialers', findCrashed);
      await step('twins', findTwins);
      await step('what is left over', ledger.attempts.tidy);
      await step('tallies', () =>
        parts('reconciler', ledger.tallies.unfolded, (only) => ledger.tallies.fold(only)),
      );
      await step('words', fillWords);
      await step('old ends', ledger.campaigns.forgetEnds);
      await step('parked attempts', unpark);
      await step('closed keys', closeLeftovers);
      await step('redials', redial);
      await step('hours', skipNever);
      if (!scope.campaignId) await step('done campaigns', finish);
      // Last come those that a queue may fail.
      await restoreJobs(gone ? 1 : 20);
      if (!scope.campaignId) await clearLeftRuns();
    },
  };
  return station;

  /** The order may have changed so that its hours never open for some people. */
  async function skipNever(): Promise<void> {
    const now = deps.clock.now();
    for (const each of await ledger.lanes.windows(scope.campaignId))
      await guard('reconciler', each.id, () => skipNeverOn(each, now));
  }

  async function skipNeverOn({ id, times, places }: ProbeWindow, now: number): Promise<void> {
    const calendar = ledger.calendarOf(times);
    // The sweeper skips people who are left when the campaign's end has passed.
    if (!calendar || now >= calendar.endAt) return;
    const never = (places ?? []).flatMap((place) => {
      const why = whyNever(calendar, place, now);
      return why === null ? [] : [{ place, why }];
    });
    if (never.length === 0) return;
    const skipped = await ledger.people.skipNever(id, never);
    if (skipped > 0)
      log.warn({ campaign: id, people: skipped }, 'people for whom the hours never open are skipped');
  }

  function whyNever(calendar: Calendar, place: string, now: number): string | null {
    const known = verdicts.get(calendar) ?? new Map<string, Verdict>();
    verdicts.set(calendar, known);
    let verdict = known.get(place);
    if (!verdict || now > verdict.until) {
      const until = nextOpening(calendar, place, now);
      verdict = {
        until: until ?? calendar.endAt,
        why: until === null ? neverOpens(calendar, place, now) : null,
      };
      known.set(place, verdict);
    }
    return verdict.why;
  }

  /** A killed run leaves its queues behind. Nothing drains them, and all that matters is in the ledger. */
  async function clearLeftRuns(): Promise<void> {
    for (const id of await ledger.campaigns.leftRuns(deps.baseUrl)) {
      await queues.clearRun(
        id,
        deps.lanes().map((lane) => lane.bucket),
      );
      await ledger.campaigns.forgetRun(id);
    }
  }

  /** Attempts planned while their lane closed move to an open lane, if there is one. */
  async function closeLeftovers(): Promise<void> {
    for (const lane of deps.lanes()) {
      if (lane.leaving || lane.state === 'denied' || lane.state === 'failing') await handOver(deps, lane);
    }
  }
}

function ids(attempts: readonly Adrift[], state: Adrift['state']): string[] {
  return attempts.filter((attempt) => attempt.state === state).map((attempt) => attempt.id);
}
