import type { ShownEvent } from '../../control/events/bodies.ts';
import type { LedgerEvent } from '../../ledger/events/events.ts';
import { hidePeople } from '../access/hide-people.ts';

/** Events as bytes on the wire, made once for everyone who reads them: with people, and without. */
export type Rendered = { event: LedgerEvent; bytes(seesPeople: boolean): Buffer };

/** Renders the first of these events, as many as memory should hold at once, but at least one. */
export type Render = (events: readonly LedgerEvent[]) => Promise<Rendered[]>;

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
