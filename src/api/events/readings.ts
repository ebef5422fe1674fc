import type { EventFilter, Events } from '../../ledger/events/events.ts';
import type { Render, Rendered } from './render.ts';

/**
 * Readings of older events, for readers who come back. After a restart everyone does: equal readings are made once, and
 * only a few at a time.
 */
export type OlderPage = { rendered: Rendered[]; upto: number };

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
