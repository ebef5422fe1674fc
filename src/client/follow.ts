import { CarillonApiError, unreachable } from './api-error.ts';
import type { Ask } from './ask.ts';
import { pause, TooLate } from './ask.ts';
import type { Event, EventWebhookTest } from './description.ts';
import { linesOf } from './lines.ts';

/** What happens, as it happens: a stream that connects again by itself, and continues after its last event. */
export type CarillonEvent = Exclude<Event, EventWebhookTest>;
export type CarillonEventType = CarillonEvent['type'];
export type EventOf<T extends CarillonEventType> = Extract<CarillonEvent, { type: T }>;

export type FollowOptions<T extends CarillonEventType = CarillonEventType> = {
  /** Only what happens to this campaign and its people: its name or id. */
  campaign?: string | undefined;
  /** Only events of these types. */
  types?: readonly T[] | undefined;
  /** The id of the last event that was dealt with; else it begins with what comes next. */
  after?: string | undefined;
  signal?: AbortSignal | undefined;
  /** A connection that is silent for longer is gone: Carillon sends a sign of life every 15 s (default: 45 s). */
  silenceMs?: number | undefined;
};

/** Ends with the loop that iterates it, or by `return()`. */
export type FollowedEvents<E> = AsyncIterableIterator<E> & { return(): Promise<IteratorResult<E>> };

/** Awaited, it is open: what happens from then on will come. Iterated, it is the events. */
export type Following<E> = Promise<FollowedEvents<E>> & AsyncIterable<E>;

const usualSilenceMs = 45_000;
const firstWaitMs = 250;
const longestWaitMs = 30_000;

export function createFollow(ask: Ask) {
  return <T extends CarillonEventType>(options: FollowOptions<T> = {}): Following<EventOf<T>> => {
    const { campaign, types, signal, silenceMs = usualSilenceMs } = options;
    const stop = new AbortController();
    const follow = () => stop.abort(signal!.reason);
    if (signal?.aborted) follow();
    else signal?.addEventListener('abort', follow, { once: true });
    const query = { campaign, types: types?.join(',') };
    let place = options.after;
    /** Connections in a row that brought nothing. */
    let vain = 0;

    const connect = async (): Promise<Connection> => {
      const watch = createWatch(stop.signal, silenceMs);
      const headers = { accept: 'text/event-stream', ...(place ? { 'last-event-id': place } : {}) };
      const answer = await watch
        .during(() => ask.open('GET /api/events', { query, headers, signal: watch.signal }))
        .catch((error) => {
          watch.end();
          throw error instanceof TooLate
            ? unreachable(error, `Carillon does not answer: ${error.message}`)
            : error;
        });
      // Where it begins: events until the first one are not missed, even if this connection brings none.
      place ??= answer.headers.get('last-event-id') ?? undefined;
      return { body: answer.body!, watch };
    };

    const connectAgain = async (): Promise<Connection> => {
      for (;;) {
        await pause(
          Math.min(longestWaitMs, firstWaitMs * 2 ** vain) * (0.5 + Math.random() / 2),
          stop.signal,
        );
        vain += 1;
        try {
          return await connect();
        } catch (error) {
          if (stop.signal.aborted || !isPassing(error)) throw error;
        }
      }
    };

    const opened = connect();
    async function* events(): AsyncGenerator<EventOf<T>, void, undefined> {
      try {
        for (let connection = await opened; ; connection = await connectAgain()) {
          try {
            for await (const event of eventsIn(connection, () => {
              vain = 0;
            })) {
              place = event.id;
              yield event as EventOf<T>;
            }
          } catch (error) {
            if (stop.signal.aborted || !(connection.watch.signal.aborted || isPassing(error))) throw error;
          } finally {
            connection.watch.end();
          }
        }
      } finally {
        signal?.removeEventListener('abort', follow);
        stop.abort();
      }
    }

    const following = endingWith(events(), () => stop.abort());
    const isOpen = opened.then(() => following);
    // A loop that iterates is told of the failure there.
    isOpen.catch(() => undefined);
    return Object.assign(isOpen, { [Symbol.asyncIterator]: () => following });
  };
}

type Watch = { signal: AbortSignal; during<T>(wait: () => Promise<T>): Promise<T>; end(): void };
type Connection = { body: ReadableStream<Uint8Array>; watch: Watch };

/** Ends a connection that brings nothing for too long. While its reader is at work, nothing is expected of it. */
function createWatch(stop: AbortSignal, silenceMs: number): Watch {
  const own = new AbortController();
  const follow = () => own.abort(stop.reason);
  if (stop.aborted) follow();
  else stop.addEventListener('abort', follow, { once: true });
  own.signal.addEventListener('abort', () => stop.removeEventListener('abort', follow), { once: true });
  return {
    signal: own.signal,
    end: () => own.abort(),
    async during(wait) {
      const timer = setTimeout(
        () => own.abort(new TooLate(`nothing came for ${silenceMs / 1_000} s`)),
        silenceMs,
      );
      try {
        return await wait();
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function* eventsIn({ body, watch }: Connection, onLife: () => void): AsyncGenerator<CarillonEvent> {
  let data: string[] = [];
  let pieces = 0;
  const lines = linesOf(body, async (read) => {
    const piece = await watch.during(read);
    // The first one is the greeting.
    if (pieces++ > 0) onLife();
    return piece;
  });
  for await (const line of lines) {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    if (line.trim() !== '' || data.length === 0) continue;
    const event = JSON.parse(data.join('\n')) as CarillonEvent;
    data = [];
    yield event;
  }
}

/** Whether it may help to connect again: it does not for a place that is no longer kept, a wrong token or filter. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof CarillonApiError)) return error instanceof TooLate || error instanceof TypeError;
  return error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500;
}

/** Also ends a generator that nobody began to read: it would leave the connection open. */
function endingWith<E>(events: AsyncGenerator<E, void, undefined>, end: () => void): FollowedEvents<E> {
  const following: FollowedEvents<E> = {
    next: () => events.next(),
    async return() {
      end();
      await events.return(undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => following,
  };
  return following;
}
