import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Sent } from '../../control/webhooks/send.ts';
import type { LedgerEvent } from '../../ledger/events/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  type BlockedEvent,
  type ClaimedWebhook,
  type DeliveryRow,
  mostLogged,
  type WebhookProgress,
} from '../../ledger/webhooks/webhooks.ts';
import type { Backlog } from '../../rules/webhook/backlog.ts';

/**
 * Saves in the ledger how far an address is: about once a second while it is busy, and at once when it is idle. If the
 * process dies, events delivered since are delivered again, with the same ids.
 */
type KeeperDeps = { ledger: Pick<Ledger, 'webhooks'>; claimant: string; clock: Clock; log: Log };

const everyMs = 1_000;

type Logged = WebhookProgress['log'][number];

export function createKeeper(
  webhook: ClaimedWebhook,
  backlog: Pick<Backlog<LedgerEvent>, 'changes'>,
  { ledger, claimant, clock, log }: KeeperDeps,
) {
  /** Numbers that no longer wait, which the ledger does not know yet. */
  const gone = new Set<number>();
  const blocked = new Map<number, BlockedEvent>();
  let logged: Logged[] = [];
  let { delivered, failed } = webhook;
  let saved = { delivered, failed };
  let dirty = false;
  let urgent = false;
  let keptAt = Number.NEGATIVE_INFINITY;
  let keeping: Promise<void> | null = null;
  let over = false;

  const collect = (): Omit<WebhookProgress, 'delivered' | 'failed' | 'log'> => {
    const now = backlog.changes();
    for (const number of now.gone) {
      blocked.delete(number);
      gone.add(number);
    }
    for (const { since, nextAt, ...each } of now.blocked) {
      gone.delete(each.number);
      blocked.set(each.number, { ...each, since: dateOf(since), nextAt: dateOf(nextAt) });
    }
    const { cursor, state, reason, tries } = now;
    const since = new Date(now.since);
    return {
      cursor,
      state,
      reason,
      since,
      tries,
      nextAt: dateOf(now.nextAt),
      gone: [...gone],
      blocked: [...blocked.values()],
    };
  };

  const write = async () => {
    const counted = { delivered, failed };
    const progress: WebhookProgress = {
      ...collect(),
      delivered: delivered - saved.delivered,
      failed: failed - saved.failed,
      log: logged,
    };
    dirty = false;
    urgent = false;
    keptAt = clock.monotonic();
    try {
      over ||= !(await ledger.webhooks.save(webhook, claimant, progress));
      saved = counted;
      gone.clear();
      blocked.clear();
      logged = logged.filter((each) => !progress.log.includes(each));
    } catch (error) {
      dirty = true;
      urgent = true;
      log.warn(
        { webhook: webhook.id, err: (error as Error).message },
        'how far a webhook is could not be kept',
      );
    }
  };

  const begin = () => {
    keeping = write().finally(() => {
      keeping = null;
    });
  };

  return {
    touch() {
      dirty = true;
    },
    note({ id, type }: LedgerEvent, tries: number, { ok, status, ms, error }: Sent, dropped: boolean) {
      dirty = true;
      urgent = true;
      const words = dropped ? `${error ?? `it answered ${status}`}; given up` : error;
      const n = delivered + failed;
      const slot = (ok ? delivered : failed) % mostLogged;
      const row: DeliveryRow = {
        n,
        at: new Date(clock.now()),
        event: id,
        type,
        try: tries,
        delivered: ok,
        status,
        ms,
        error: words,
      };
      if (ok) delivered += 1;
      else failed += 1;
      logged = withNewest(logged, { ...row, slot });
    },
    /** Writes what is due; `idle`: nothing is under way. */
    keep(idle: boolean) {
      if (!dirty || keeping || over) return;
      if ((idle && urgent) || clock.monotonic() - keptAt >= everyMs) begin();
    },
    /** Whether the ledger has the result of every try. */
    isKept: () => !urgent && keeping === null,
    /** True when another process has the address, or a person has changed it. */
    isOver: () => over,
    async close() {
      await keeping;
      if (dirty && !over) await write();
    },
  };
}

/** The newest of each end that fit. */
function withNewest(logged: readonly Logged[], row: Logged): Logged[] {
  return [...logged.filter((each) => each.slot !== row.slot || each.delivered !== row.delivered), row];
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
