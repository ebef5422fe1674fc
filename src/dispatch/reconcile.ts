import { createBoundedMap } from '../base/bounded-map.ts';
import type { Log } from '../base/log.ts';
import type { Lane } from '../lane/lane.ts';
import { isLedgerAway } from '../ledger/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Queues } from '../queues/queues.ts';
import { neverOpens } from '../rules/time/window.ts';
import { handOver } from './handover.ts';
import type { Scope, Tools } from './scope.ts';
import type { Spool } from './spool.ts';

/** The reconcile station: makes queue and lanes agree with the ledger again, whatever was lost on the way. */
export type ReconcileDeps = Tools & {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  lanes(): readonly Lane[];
  spool: Spool;
  baseUrl: string;
  log: Log;
};

export function createReconcile(deps: ReconcileDeps) {
  const { ledger, queues, scope, log } = deps;
  /** Whether an order's hours ever suit a set of zones, which does not change from one round to the next. */
  const verdicts = createBoundedMap<string | null>();

  /** Call ids first: they may tell of attempts that would be called unknown next. */
  const replaySpool = async () => {
    try {
      const told = await deps.spool.replay(async (entry) => {
        // Somebody gave the attempt up while its answer lay on the disk: the call exists, and this must be seen.
        if (!(await ledger.attempts.placed(entry))) await ledger.attempts.late(entry.id, entry.callId);
      });
      if (told > 0) log.info({ calls: told }, 'call ids that were kept on disk are in the ledger');
    } catch (error) {
      // What the ledger will not take stays on the disk, and must not keep all else from being put right.
      if (isLedgerAway(error)) throw error;
      log.error({ err: (error as Error).message }, 'a call id that was kept on disk cannot be told');
    }
  };

  const findCrashed = async () => {
    const lost = await ledger.attempts.crash(deps.baseUrl);
    if (lost > 0) log.warn({ attempts: lost }, 'attempts whose dialer died are unknown');
  };

  /** Owners who accept that somebody may be called twice. */
  const redial = async () => {
    const freed = await ledger.attempts.redial(deps.baseUrl, scope.campaignId);
    if (freed === 0) return;
    log.warn({ attempts: freed }, 'people who may have been called are called again, as the owner wants it');
    deps.nudge();
  };

  const restoreJobs = async (overdueSeconds: number) => {
    const adrift = await ledger.attempts.adrift(deps.baseUrl, scope.campaignId, overdueSeconds);
    for (const lane of deps.lanes()) {
      const mine = adrift.filter((attempt) => attempt.laneId === lane.id);
      await queues.add(lane.bucket, 'dial', ids(mine, 'planned'));
      const placed = mine.filter((attempt) => attempt.state === 'placed');
      // Polls that are due later stay later: a start is no reason to ask for every call at once.
      const now = deps.clock.now();
      await Promise.all(
        placed.map(({ id, nextPollAt }) =>
          queues.addLater(lane.bucket, 'track', id, (nextPollAt?.getTime() ?? now) - now),
        ),
      );
    }
  };

  return {
    /** At start: nothing is known of the queue, so every job that should exist is made. */
    async start(): Promise<void> {
      await replaySpool();
      await findCrashed();
      await ledger.lanes.unpark();
      // A run has its campaign for itself: what was planned for a key that is set no more is planned anew.
      if (scope.campaignId) {
        const lanes = deps.lanes().map((lane) => lane.id);
        await ledger.attempts.rehome(scope.campaignId, lanes);
      }
      await restoreJobs(-86_400);
    },

    /** `gone`: jobs are known to have gone with a dead worker, so that a poll which is late has none. */
    async round(gone = false): Promise<void> {
      await replaySpool();
      await findCrashed();
      await ledger.attempts.tidy();
      await ledger.tallies.fold();
      await ledger.lanes.unpark();
      await closeLeftovers();
      await redial();
      await skipNever();
      await restoreJobs(gone ? 1 : 20);
      if (!scope.campaignId) {
        for (const campaign of await ledger.campaigns.finish(deps.baseUrl)) {
          log.info({ campaign: campaign.name }, 'the campaign is done');
        }
        await clearLeftRuns();
      }
    },
  };

  /** An order that was changed may leave people behind for whom its hours never come. */
  async function skipNever(): Promise<void> {
    const now = deps.clock.now();
    for (const { id, hours, zones } of await ledger.lanes.windows(scope.campaignId)) {
      if (!hours) continue;
      const never = (zones ?? []).flatMap((set) => {
        const key = `${JSON.stringify(hours)} ${set}`;
        const known = verdicts.get(key);
        const why = known === undefined ? neverOpens(hours, set ? set.split(',') : [], now) : known;
        verdicts.set(key, why);
        return why === null ? [] : [{ zones: set, why }];
      });
      if (never.length === 0) continue;
      const skipped = await ledger.people.skipNever(id, never);
      if (skipped > 0) log.warn({ campaign: id, people: skipped }, 'people whom no hour suits are skipped');
    }
  }

  /** A killed run leaves its queues behind. Nothing works them off, and what matters of them is in the ledger. */
  async function clearLeftRuns(): Promise<void> {
    for (const id of await ledger.campaigns.leftRuns(deps.baseUrl)) {
      await queues.clearRun(
        id,
        deps.lanes().map((lane) => lane.bucket),
      );
      await ledger.campaigns.forgetRun(id);
    }
  }

  /** Plans that crossed with the closing of their lane: they go to an open lane, when there is one. */
  async function closeLeftovers(): Promise<void> {
    for (const lane of deps.lanes()) {
      if (lane.state === 'denied' || lane.state === 'failing') await handOver(deps, lane);
    }
  }
}

function ids(attempts: { id: string; state: string }[], state: string): string[] {
  return attempts.filter((attempt) => attempt.state === state).map((attempt) => attempt.id);
}
