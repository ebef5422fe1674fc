import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Stoppable } from '../../base/lifecycle.ts';
import type { Log } from '../../base/log.ts';
import { type Loop, startLoop } from '../../base/loop.ts';
import type { Rounds } from '../../base/stuck-loops.ts';
import type { ShownEvent } from '../../control/events/bodies.ts';
import type { EventFilter, Events, EventType, LedgerEvent } from '../../ledger/events/events.ts';
import { everyEvent } from '../../ledger/events/events.ts';
import { createReadings, createRender, type Rendered } from './render.ts';
import { type EventStream, heartbeat } from './stream.ts';

/**
 * All readers of the events in this process. One loop reads the ledger for all of them, and each body is built once. A
 * reader who begins at an older event reads pages until it has caught up, and then follows with the others.
 */
export type Feed = Stoppable & {
  /** Sends what passes the filter, after a number, until the stream ends. */
  follow(stream: EventStream, wish: FeedWish): void;
  /**
   * Throws when this process stops, or when all places are taken and this token has as many as any other. A token with
   * fewer gets the place of the newest reader of the token that has most: no token shuts out another.
   */
  makeRoom(who: string): void;
};

/** `who`: the token that follows. */
type FeedWish = { filter: EventFilter; after: number; seesPeople: boolean; who: string };

type FeedDeps = {
  events: Pick<Events, 'number' | 'pending' | 'read'>;
  show(events: readonly LedgerEvent[]): Promise<ShownEvent[]>;
  clock: Clock;
  log: Log;
  rounds?: Rounds;
  /** How many readers there may be at a time. */
  most?: number;
};

/** `position`: it was sent everything that it wants up to this number. */
type Follower = Omit<FeedWish, 'after' | 'who'> & { stream: EventStream; position: number };
type Joiner = { follower: Follower; admit(joined: boolean): void };

/** How soon the ledger is read again after something that a reader wants, and after nothing. */
const busyMs = 50;
const idleMs = 200;
/** Used if everyone wants only a few types: a page that is left open all day should cost the calls little. */
const calmMs = 500;
/** How seldom events that no reader wants are numbered, so that they do not pile up. */
const numberMs = 10_000;
/** The ledger is not asked while there are no followers. */
const asleepMs = 5_000;
const heartbeatMs = 15_000;
/** Events in one reading, and those that are shown together. */
const pageSize = 200;
/** Readings of older events at a time, so that many who reconnect at once leave the ledger to the calls. */
const mostReadings = 2;
/** Each holds a connection and is sent every event, which takes about 35 ms of a core for this many. */
const mostReaders = 2_000;

export function createFeed(deps: FeedDeps): Feed {
  const { events, clock, log } = deps;
  const render = createRender(deps.show, pageSize);
  const readOlder = createReadings(events, render, mostReadings);
  const streams = new Map<EventStream, string>();
  const live = new Set<Follower>();
  const joiners: Joiner[] = [];
  let loops: Loop[] = [];
  let closed = false;
  /** The live followers were sent everything up to this number. */
  let position = 0;
  let numberedAt = Number.NEGATIVE_INFINITY;

  /** The number up to which there is something to read. Events that nobody wants are left waiting. */
  const headFor = async (followers: readonly Follower[]): Promise<number> => {
    const types = typesOf(followers);
    if (types !== null && clock.monotonic() - numberedAt < numberMs) {
      const { waits, last } = await events.pending(types);
      if (!waits) return last;
    }
    numberedAt = clock.monotonic();
    return events.number();
  };

  /** Called only between two pages: someone who joins gets the next page, and has everything before it. */
  const admit = () => {
    for (const { follower, admit: answer } of joiners.splice(0)) {
      if (live.size === 0) position = follower.position;
      const joins = follower.position >= position && follower.stream.isOpen;
      if (joins) live.add(follower);
      answer(joins);
    }
  };

  const round = async (): Promise<number> => {
    admit();
    let isTold = false;
    const last = live.size > 0 ? await headFor([...live]) : position;
    while (position < last && live.size > 0) {
      const followers = [...live];
      const page = await events.read(position, pageSize, commonFilter(followers));
      const wanted = page.events.filter((event) => followers.some((each) => wants(each, event)));
      for (let rest = wanted; rest.length > 0; ) {
        const part = await render(rest);
        deliver(followers, part);
        rest = rest.slice(part.length);
      }
      isTold ||= wanted.length > 0;
      if (page.upto <= position) break;
      position = page.upto;
      admit();
    }
    if (live.size === 0) return asleepMs;
    if (isTold) return busyMs;
    return typesOf([...live]) === null ? idleMs : calmMs;
  };

  const start = () => {
    if (loops.length > 0) return;
    const common = { clock, log, rounds: deps.rounds };
    loops = [
      startLoop({ ...common, name: 'events', everyMs: idleMs, work: round }),
      startLoop({
        ...common,
        name: 'event heartbeats',
        everyMs: heartbeatMs,
        work: async () => {
          for (const stream of streams.keys()) stream.send(heartbeat);
        },
      }),
    ];
  };

  const join = (follower: Follower) =>
    new Promise<boolean>((resolve) => {
      joiners.push({ follower, admit: resolve });
      start();
      loops[0]!.nudge();
    });

  const catchUp = async (stream: EventStream, { after, who: _, ...wish }: FeedWish) => {
    const follower: Follower = { ...wish, stream, position: after };
    stream.onEnd(() => live.delete(follower));
    while (stream.isOpen && !closed && !(await join(follower))) {
      const { rendered, upto } = await readOlder(follower.position, pageSize, follower.filter);
      deliver([follower], rendered);
      follower.position = Math.max(upto, follower.position);
      await stream.drained();
    }
  };

  return {
    name: 'events',
    makeRoom(who) {
      // A stopping process still takes requests: an empty stream would make its reader reconnect at once.
      if (closed) throw new CarillonError('stopping');
      if (streams.size < (deps.most ?? mostReaders)) return;
      const held = new Map<string, EventStream[]>([[who, []]]);
      for (const [stream, of] of streams) {
        const own = held.get(of);
        if (own) own.push(stream);
        else held.set(of, [stream]);
      }
      const largest = [...held.values()].reduce((a, b) => (b.length > a.length ? b : a));
      // One more reader would give this token as many as the others have, or more.
      if (held.get(who)!.length + 1 >= largest.length) throw new CarillonError('too-many-readers');
      const last = largest.at(-1)!;
      streams.delete(last);
      last.end();
    },
    follow(stream, wish) {
      if (closed) return stream.end();
      streams.set(stream, wish.who);
      stream.onEnd(() => streams.delete(stream));
      catchUp(stream, wish).catch((error: Error) => {
        // The reader connects again, and continues after what it has.
        log.warn({ err: error.message }, 'someone who follows the events was cut off');
        stream.end();
      });
    },
    async close() {
      closed = true;
      for (const stream of streams.keys()) stream.end();
      await Promise.all(loops.map((loop) => loop.close()));
      for (const { admit: answer } of joiners.splice(0)) answer(false);
    },
  };
}

/** Followers with the same filter are sent the same bytes. */
function deliver(followers: readonly Follower[], rendered: readonly Rendered[]): void {
  const chunks = new Map<string, Buffer>();
  for (const follower of followers) {
    const { filter, seesPeople, stream } = follower;
    const fits = rendered.filter(({ event }) => event.number > follower.position && wants(follower, event));
    const last = fits.at(-1);
    if (!last) continue;
    const key = JSON.stringify([filter, seesPeople, fits[0]!.event.number]);
    const chunk = chunks.get(key) ?? Buffer.concat(fits.map((each) => each.bytes(seesPeople)));
    chunks.set(key, chunk);
    stream.send(chunk);
    follower.position = last.event.number;
  }
}

function wants({ filter }: Pick<Follower, 'filter'>, event: LedgerEvent): boolean {
  return (
    (filter.types === null || filter.types.includes(event.type)) &&
    (filter.campaignId === null || filter.campaignId === event.campaignId)
  );
}

/** All types that a follower wants; null if one wants any. */
function typesOf(followers: readonly Follower[]): EventType[] | null {
  const types = new Set<EventType>();
  for (const { filter } of followers) {
    if (filter.types === null) return null;
    for (const type of filter.types) types.add(type);
  }
  return [...types];
}

/** If all want the same, the ledger filters. */
function commonFilter(followers: readonly Follower[]): EventFilter {
  const [first, ...others] = followers.map(({ filter }) => filter);
  const key = JSON.stringify(first);
  return first && others.every((each) => JSON.stringify(each) === key) ? first : everyEvent;
}
