import type { ShownEvent } from '../../control/events/bodies.ts';
import type { EventFilter, Events, LedgerEvent } from '../../ledger/events/events.ts';
import { hidePeople } from '../access/hide-people.ts';

/** Events as bytes on the wire, made once for everyone who reads them: with people, and without. */
export type Rendered = { event: LedgerEvent; bytes(seesPeople: boolean): Buffer };

/** Renders the first of these events, as many as memory should hold at once, but at least one. */
type Render = (events: readonly LedgerEvent[]) => Promise<Rendered[]>;

/** `most`: even short events are shown at most so many at a time. */
export function createRender(
  show: (events: readonly LedgerEvent[]) => Promise<ShownEvent[]>,
  most: number,
): Render {
  return async (events) => {
    const shown = events.length > 0 ? await show(events.slice(0, most)) : [];
    return shown.map((one, nth) => {
      const whole = once(() => written(one));
      const hidden = once(() => written(hidePeople(one) as ShownEvent));
      return { event: events[nth]!, bytes: (seesPeople) => (seesPeople ? whole() : hidden()) };
    });
  };
}

function once(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** JSON escapes line ends, so that the data is one line. */
function written(event: ShownEvent): Buffer {
  return Buffer.from(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/**
 * Readings of older events, for readers who come back. After a restart everyone does: equal readings are made once, and
 * only a few at a time.
 */
type OlderPage = { rendered: Rendered[]; upto: number };

export function createReadings(events: Pick<Events, 'read'>, render: Render, mostAtOnce: number) {
  const inHand = new Map<string, Promise<OlderPage>>();
  const waiting: (() => void)[] = [];
  let free = mostAtOnce;

  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };

  return (after: number, limit: number, filter: EventFilter): Promise<OlderPage> => {
    const key = JSON.stringify([after, limit, filter]);
    const known = inHand.get(key);
    if (known) return known;
    const reading = inTurn(async () => {
      const { events: found, upto } = await events.read(after, limit, filter);
      const rendered = await render(found);
      return { rendered, upto: rendered.length < found.length ? rendered.at(-1)!.event.number : upto };
    }).finally(() => inHand.delete(key));
    inHand.set(key, reading);
    return reading;
  };
}
