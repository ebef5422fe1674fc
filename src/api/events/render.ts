import type { ShownEvent } from '../../control/events/bodies.ts';
import type { LedgerEvent } from '../../ledger/events/verbs.ts';
import { hidePeople } from '../hide-people.ts';

/** Events as bytes on the wire, made once for everyone who reads them: with people, and without. */
export type Rendered = { event: LedgerEvent; bytes(seesPeople: boolean): Buffer };

/** Renders the first of these events, as many as memory should hold at once; at least one. */
export type Render = (events: readonly LedgerEvent[]) => Promise<Rendered[]>;

/** About how many characters of what was said in calls are read at once, and how many events at most. */
const mostWords = 4 * 1024 * 1024;
const mostEvents = 200;
/** Before anything is known of how much events say. */
const firstEvents = 20;

export function createRender(show: (events: readonly LedgerEvent[]) => Promise<ShownEvent[]>): Render {
  let most = firstEvents;
  return async (events) => {
    if (events.length === 0) return [];
    const part = events.slice(0, most);
    const shown = await show(part);
    const mean = shown.reduce((sum, each) => sum + wordsOf(each), 0) / shown.length;
    most = Math.max(1, Math.min(mostEvents, Math.floor(mostWords / mean)));
    return part.map((event, nth) => {
      const whole = once(() => written(shown[nth]!));
      const hidden = once(() => written(hidePeople(shown[nth]!) as ShownEvent));
      return { event, bytes: (seesPeople) => (seesPeople ? whole() : hidden()) };
    });
  };
}

function wordsOf({ data }: ShownEvent): number {
  const { transcript, structured_data: structured, metadata } = data;
  const said = typeof transcript === 'string' ? transcript.length : 0;
  return said + JSON.stringify([structured ?? null, metadata ?? null]).length;
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
