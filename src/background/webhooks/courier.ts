import type { Clock } from '../../base/clock.ts';
import { withDeadline } from '../../base/deadline.ts';
import { errorLine } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Meters } from '../../base/metrics/meters.ts';
import { spanApart, within } from '../../base/spans.ts';
import { mostAtOnce, type Sender, type Sent } from '../../control/webhooks/send.ts';
import { isLedgerAway } from '../../ledger/database.ts';
import type { EventType, LedgerEvent } from '../../ledger/events/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  type BlockedEvent,
  type ClaimedWebhook,
  mostLogged,
  type WebhookProgress,
} from '../../ledger/webhooks/webhooks.ts';
import { type Backlog, createBacklog, type DueEvent } from '../../rules/webhook/backlog.ts';
import type { AddressState } from '../../rules/webhook/standing.ts';

/** Delivers to one address: reads events, sends what is due, and keeps how far it is. */
type CourierDeps = {
  ledger: Pick<Ledger, 'events' | 'webhooks'>;
  /** The body of an event as it is now: an erased person is erased in it too. */
  readBody(event: LedgerEvent): Promise<string>;
  sender: Sender;
  claimant: string;
  clock: Clock;
  log: Log;
  meters: Pick<Meters, 'webhookTries'>;
};

export type Courier = {
  revision: number;
  /** True when another process has the address, or a person has changed it: the state here is then void. */
  isOver(): boolean;
  /** Claims the address for so long, and sends what is due; `head` is the number of the newest event. */
  pump(leaseMs: number, head: number): void;
  /** When the next event is due; null if none waits for a time. */
  nextAt(): number | null;
  isIdle(): boolean;
  /** Waits a while for deliveries under way, and saves the progress. */
  close(): Promise<void>;
};

/** How many events are read at a time. */
const page = 200;
/** How long to leave a ledger alone that does not answer. */
const restMs = 1_000;
const closeMs = 5_000;
const everyMs = 1_000;
/** An event that was not sent at all counts as not accepted. */
const unsent: Sent = { ok: false, status: null, ms: 0, error: null, away: false };

export function createCourier(
  webhook: ClaimedWebhook,
  blocked: readonly BlockedEvent[],
  deps: CourierDeps,
): Courier {
  const { ledger, sender, clock, log } = deps;
  const types = webhook.events as EventType[] | null;
  const { cursor, state, reason, tries, since, nextAt } = webhook;
  const backlog = createBacklog<LedgerEvent>({
    cursor,
    state: { state, reason, tries, since: since.getTime(), nextAt: msOf(nextAt) },
    blocked: blocked.map((each) => ({ ...each, since: msOf(each.since), nextAt: msOf(each.nextAt) })),
  });
  const keeper = createKeeper(webhook, backlog, deps);
  const underWay = new Set<Promise<void>>();
  let leaseEnds = 0;
  let head = 0;
  let reading = false;
  let closing = false;
  let restsUntil = 0;

  const isStopped = () => closing || keeper.isOver() || clock.monotonic() >= leaseEnds;

  /** An error here is not the address's fault: it is tried again after a rest. */
  const rest = (error: unknown) => {
    restsUntil = clock.monotonic() + restMs;
    const { message: err } = error as Error;
    log.warn({ webhook: webhook.id, err }, 'events could not be read for a webhook');
  };

  const begin = (work: Promise<void>) => {
    const tracked = work.catch(rest).finally(() => {
      underWay.delete(tracked);
      move();
    });
    underWay.add(tracked);
  };

  const move = () => {
    if (isStopped()) return;
    if (clock.monotonic() >= restsUntil) {
      while (underWay.size < mostAtOnce) {
        const due = backlog.next(clock.now());
        if (!due) break;
        begin(deliver(due));
      }
      if (!reading && backlog.wants() > 0 && backlog.readTo() < head) begin(readMore());
    }
    keeper.keep(underWay.size === 0);
  };

  const readMore = async () => {
    reading = true;
    try {
      const after = backlog.readTo();
      const most = Math.min(page, backlog.wants());
      const { events, upto } = await ledger.events.read(after, most, { types, campaignId: null });
      backlog.take(
        events.map((event) => ({ number: event.number, line: lineOf(event), event })),
        upto,
      );
      if (upto > after) keeper.touch();
      // No progress although events are due: rest, so as not to ask in a loop.
      else restsUntil = clock.monotonic() + restMs;
    } finally {
      reading = false;
    }
  };

  const deliver = async (due: DueEvent<LedgerEvent>) => {
    const message = await prepare(due).catch((error: unknown) => {
      // While the ledger is away, the event did not fail.
      if (due.event === null || isLedgerAway(error)) {
        backlog.undo(due);
        throw error;
      }
      return { event: due.event, body: null, why: errorLine(error) };
    });
    if (message === null) backlog.missing(due);
    else if (message.body !== null) end(due, message.event, await send(message.event, message.body));
    else end(due, message.event, { ...unsent, error: `its body could not be made: ${message.why}` });
    keeper.touch();
  };

  const send = ({ id, type, attemptId }: LedgerEvent, body: string) => {
    const facts = { 'carillon.event.type': type, 'carillon.event.id': id, 'carillon.webhook.id': webhook.id };
    // It is delivered after the attempt that it is about, and perhaps days after.
    const span = spanApart('deliver event', { facts, attempts: attemptId === null ? [] : [attemptId] });
    return within(span, (open) => sender.send({ id, body }, open));
  };

  const prepare = async (due: DueEvent<LedgerEvent>) => {
    const event = due.event ?? (await readAgain(due.number));
    return event && { event, body: await deps.readBody(event), why: '' };
  };

  const end = (due: DueEvent<LedgerEvent>, event: LedgerEvent, sent: Sent) => {
    const result = sent.ok ? 'delivered' : sent.status === null ? 'unreachable' : 'refused';
    deps.meters.webhookTries.inc({ result });
    const error = sent.error ?? `it answered ${sent.status}`;
    const before = backlog.state().state;
    const told = { ok: sent.ok, away: sent.away, gone: sent.status === 410, error };
    const dropped = backlog.ended(due, told, clock.now());
    keeper.note(event, due.tries, sent, dropped);
    tellChange(before, backlog.state());
  };

  const tellChange = (before: AddressState['state'], { state, reason }: AddressState) => {
    if (state === before) return;
    const told = { webhook: webhook.id, host: new URL(webhook.url).host, why: reason };
    if (state === 'failing') log.warn(told, 'a webhook’s address does not take events; it is asked again');
    else if (state === 'active') log.info(told, 'a webhook’s address takes events again');
    else log.error(told, 'a webhook rests: no events go to it until `carillon webhook test` reaches it');
  };

  const readAgain = async (number: number): Promise<LedgerEvent | null> =>
    (await ledger.events.read(number - 1, 1)).events.find((event) => event.number === number) ?? null;

  return {
    revision: webhook.revision,
    isOver: keeper.isOver,
    pump(leaseMs, newest) {
      leaseEnds = clock.monotonic() + leaseMs;
      head = newest;
      move();
    },
    nextAt: backlog.nextAt,
    isIdle: () =>
      underWay.size === 0 &&
      keeper.isKept() &&
      (backlog.state().state !== 'active' || backlog.readTo() >= head),
    async close() {
      closing = true;
      await withDeadline(Promise.all(underWay), closeMs, () => undefined);
      await keeper.close();
      await sender.close();
    },
  };
}

/**
 * Saves in the ledger how far an address is: about once a second while it is busy, and at once when it is idle. If the
 * process dies, events delivered since are delivered again, with the same ids.
 */
function createKeeper(
  webhook: ClaimedWebhook,
  backlog: Backlog<LedgerEvent>,
  { ledger, claimant, clock, log }: CourierDeps,
) {
  /** Numbers that no longer wait, which the ledger does not know yet. */
  const gone = new Set<number>();
  const blocked = new Map<number, BlockedEvent>();
  let logged: WebhookProgress['log'] = [];
  let { delivered, failed } = webhook;
  let saved = { delivered, failed };
  let dirty = false;
  let urgent = false;
  let keptAt = Number.NEGATIVE_INFINITY;
  let keeping: Promise<void> | null = null;
  let over = false;

  const write = async () => {
    const now = backlog.changes();
    for (const number of now.gone) {
      blocked.delete(number);
      gone.add(number);
    }
    for (const { since, nextAt, ...each } of now.blocked) {
      gone.delete(each.number);
      blocked.set(each.number, { ...each, since: dateOf(since), nextAt: dateOf(nextAt) });
    }
    const counted = { delivered, failed };
    const progress: WebhookProgress = {
      ...now,
      since: new Date(now.since),
      nextAt: dateOf(now.nextAt),
      gone: [...gone],
      blocked: [...blocked.values()],
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
      const { message: err } = error as Error;
      log.warn({ webhook: webhook.id, err }, 'how far a webhook is could not be kept');
    }
  };

  return {
    touch() {
      dirty = true;
    },
    note({ id, type }: LedgerEvent, tries: number, { ok, status, ms, error }: Sent, dropped: boolean) {
      dirty = true;
      urgent = true;
      const words = dropped ? `${error ?? `it answered ${status}`}; given up` : error;
      const tried = { event: id, type, try: tries, delivered: ok, status, ms, error: words };
      const slot = (ok ? delivered : failed) % mostLogged;
      // The newest of each end that fit.
      const others = logged.filter((each) => each.slot !== slot || each.delivered !== ok);
      logged = [...others, { ...tried, n: delivered + failed, at: new Date(clock.now()), slot }];
      if (ok) delivered += 1;
      else failed += 1;
    },
    /** Writes what is due; `idle`: nothing is under way. */
    keep(idle: boolean) {
      if (!dirty || keeping || over) return;
      if (!(idle && urgent) && clock.monotonic() - keptAt < everyMs) return;
      keeping = write().finally(() => {
        keeping = null;
      });
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

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

function msOf(at: Date | null): number | null {
  return at === null ? null : at.getTime();
}

/** The person or thing that an event is about: its events are delivered one after the other. */
function lineOf({ recipientId, campaignId, subject, type }: LedgerEvent): string {
  if (recipientId !== null) return `recipient ${recipientId}`;
  return `${type.split('.', 1)[0]} ${subject ?? campaignId ?? ''}`;
}
