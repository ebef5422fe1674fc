import type { ShownEvent } from '../../control/events/bodies.ts';
import type { LedgerEvent } from '../../ledger/events/verbs.ts';
import { hidePeople } from '../hide-people.ts';

/** Events as bytes on the wire, made once for everyone who reads them: with people, and without. */
export type Rendered = { event: LedgerEvent; bytes(seesPeople: boolean): Buffer };

export type Render = (events: readonly LedgerEvent[]) => Promise<Rendered[]>;

export function createRender(show: (events: readonly LedgerEvent[]) => Promise<ShownEvent[]>): Render {
  return async (events) => {
    if (events.length === 0) return [];
    const shown = await show(events);
    return events.map((event, nth) => {
      const whole = once(() => written(shown[nth]!));
      const hidden = once(() => written(hidePeople(shown[nth]!) as ShownEvent));
      return { event, bytes: (seesPeople) => (seesPeople ? whole() : hidden()) };
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

/** JSON has no line ends, so that the data is one line. */
function written(event: ShownEvent): Buffer {
  return Buffer.from(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
