import type { Clock } from '../../base/clock.ts';
import { withDeadline } from '../../base/deadline.ts';
import { errorLine } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Meters } from '../../base/metrics/meters.ts';
import { type OpenSpan, spanApart, within } from '../../base/spans.ts';
import { mostAtOnce, type Sender, type Sent } from '../../control/webhooks/send.ts';
import { isLedgerAway } from '../../ledger/database.ts';
import type { EventType, LedgerEvent } from '../../ledger/events/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BlockedEvent, ClaimedWebhook } from '../../ledger/webhooks/webhooks.ts';
import { createBacklog, type DueEvent } from '../../rules/webhook/backlog.ts';
import type { AddressState } from '../../rules/webhook/standing.ts';
import { createKeeper } from './keeper.ts';

/** Delivers to one address: reads events, sends what is due, and saves its progress. */
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
/** An event that was not sent at all counts as not accepted. */
const unsent: Sent = { ok: false, status: null, ms: 0, error: null, away: false };

export function createCourier(
  webhook: ClaimedWebhook,
  blocked: readonly BlockedEvent[],
  deps: CourierDeps,
): Courier {
  const { ledger, sender, clock, log } = deps;
  const types = webhook.events as EventType[] | null;
  const backlog = createBacklog<LedgerEvent>({
    cursor: webhook.cursor,
    state: {
      state: webhook.state,
      reason: webhook.reason,
      since: webhook.since.getTime(),
      tries: webhook.tries,
      nextAt: webhook.nextAt?.getTime() ?? null,
    },
    blocked: blocked.map((each) => ({
      ...each,
      since: each.since?.getTime() ?? null,
      nextAt: each.nextAt?.getTime() ?? null,
    })),
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
    log.warn(
      { webhook: webhook.id, err: (error as Error).message },
      'events could not be read for a webhook',
    );
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

  const send = (event: LedgerEvent, body: string) =>
    within(spanOfDelivery(event, webhook.id), (span) => sender.send({ id: event.id, body }, span));

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

  const readAgain = async (number: number): Promise<LedgerEvent | null> => {
    const { events } = await ledger.events.read(number - 1, 1);
    return events.find((event) => event.number === number) ?? null;
  };

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

/** An event is delivered after the attempt that it is about, and perhaps days after. */
function spanOfDelivery({ type, id, attemptId }: LedgerEvent, webhook: string): OpenSpan {
  const facts = { 'carillon.event.type': type, 'carillon.event.id': id, 'carillon.webhook.id': webhook };
  return spanApart('deliver event', { facts, attempts: attemptId === null ? [] : [attemptId] });
}

/** The person or thing that an event is about: its events are delivered one after the other. */
function lineOf({ recipientId, campaignId, subject, type }: LedgerEvent): string {
  if (recipientId !== null) return `recipient ${recipientId}`;
  return `${type.split('.', 1)[0]} ${subject ?? campaignId ?? ''}`;
}
