import { z } from 'zod';
import { actAs } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Bucket } from '../../engine/engine.ts';
import { showCampaignAttempt } from '../../export/attempt.ts';
import { showRecipient } from '../../export/recipient.ts';
import { eventTypes, type LedgerEvent } from '../../ledger/events/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Cut } from '../../ledger/reports/said.ts';
import { showBulk } from '../bulk/show.ts';
import { showCampaign } from '../campaigns/show.ts';
import { showImport } from '../imports/add.ts';
import { listKeys } from '../keys/list.ts';
import { waitsOn } from '../people/waits.ts';
import type { ServiceAccess } from '../service/access.ts';

/**
 * Events as they are delivered. Their bodies are read from the ledger at delivery, so an erased person is erased in
 * them too.
 */
export const eventShape = z.object({
  id: z.string().describe('The event’s id, the same at each delivery.'),
  type: z.enum(eventTypes),
  at: z.date().describe('When it happened.'),
  data: z
    .record(z.string(), z.unknown())
    .describe('The thing that it is about, as it is now: what a GET of it answers.'),
});
export type ShownEvent = z.output<typeof eventShape>;

export type BodyDeps = Pick<ServiceAccess, 'ledger' | 'lanes' | 'clock'> & { bucket: Bucket };

/** The subjects of events of one kind, by event; an event without an entry has lost its subject. */
type Bodies = Map<LedgerEvent, object>;
/** `rest` is the first event that is left to the next reading. */
type Built = { bodies: Bodies; rest?: LedgerEvent | undefined };
type Builder = (deps: BodyDeps, events: readonly LedgerEvent[]) => Promise<Built>;

/** Builders by the first word of the type. Other kinds are told with what the ledger kept. */
const builders: Readonly<Record<string, Builder>> = {
  attempt: attemptsOf,
  recipient: peopleOf,
  campaign: oneByOne((event) => event.campaignId, campaignOf),
  bulk: oneByOne((event) => event.subject, showBulk),
  import: oneByOne((event) => event.subject, showImport),
  key: keysOf,
};

/**
 * The first of these events, at least one, and as many as memory should hold at once. They are complete, even if the
 * first reader may not see people and is sent less.
 */
export async function showEvents(deps: BodyDeps, events: readonly LedgerEvent[]): Promise<ShownEvent[]> {
  const built = await actAs(null, () =>
    Promise.all(
      Object.entries(builders).map(([kind, build]): Built | Promise<Built> => {
        const those = events.filter((event) => event.type.startsWith(`${kind}.`));
        return those.length > 0 ? build(deps, those) : { bodies: new Map() };
      }),
    ),
  );
  const bodies: Bodies = new Map(built.flatMap((each) => [...each.bodies]));
  const ends = built.flatMap(({ rest }) => (rest ? [events.indexOf(rest)] : []));
  return events.slice(0, Math.min(events.length, ...ends)).map((event) => ({
    id: event.id,
    type: event.type,
    at: event.at,
    data: { ...(bodies.get(event) ?? whatIsLeft(event)) },
  }));
}

/** Its campaign was deleted since, or everything about it was kept with the event. */
function whatIsLeft({ recipientId, attemptId, subject, campaignId, data }: LedgerEvent): object {
  if (data) return data;
  const id = attemptId ?? (recipientId === null ? (subject ?? campaignId) : String(recipientId));
  return { id, ...(campaignId === null ? {} : { campaign: campaignId }), deleted: true };
}

async function peopleOf({ ledger, clock }: BodyDeps, events: readonly LedgerEvent[]): Promise<Built> {
  const ids = [...new Set(events.map((event) => event.recipientId!))];
  const cut = await ledger.search.firstLines(ids);
  const lines = new Map(cut.rows.map((line) => [line.id, line]));
  const waits = await waitsOn(ledger, cut.rows, clock.now());
  const next = nextId(ids, cut);
  const built = bodiesOf(events, (event) => {
    const line = lines.get(event.recipientId!);
    return line && showRecipient(line, line.campaign, waits(line));
  });
  return { ...built, rest: events.find((event) => event.recipientId === next) };
}

async function attemptsOf({ ledger }: BodyDeps, events: readonly LedgerEvent[]): Promise<Built> {
  const wanted = new Map(events.map((event) => [event.attemptId!, event.recipientId!]));
  const ids = [...wanted.keys()];
  const cut = await ledger.events.firstAttempts([...wanted.values()], ids);
  const tries = new Map(cut.rows.map((line) => [line.id, line]));
  const next = nextId(ids, cut);
  const built = bodiesOf(events, (event) => {
    const line = tries.get(event.attemptId!);
    return line && showCampaignAttempt(line, line.campaign);
  });
  return { ...built, rest: events.find((event) => event.attemptId === next) };
}

/** The first of these ids that was left to the next reading. */
function nextId<Id>(ids: readonly Id[], { rows, isCut }: Cut<{ id: Id }>): Id | undefined {
  return isCut ? ids[ids.indexOf(rows.at(-1)!.id) + 1] : undefined;
}

/** Subjects of few events: each is read as its GET reads it. */
function oneByOne(
  idOf: (event: LedgerEvent) => string | null,
  show: (ledger: Ledger, id: string) => Promise<object>,
): Builder {
  return async ({ ledger }, events) => {
    const shown = new Map<string | null, object | null>();
    for (const id of new Set(events.map(idOf))) {
      shown.set(id, id === null ? null : await known(() => show(ledger, id)));
    }
    return bodiesOf(events, (event) => shown.get(idOf(event)));
  };
}

/** Null when it was deleted since. */
async function known(show: () => Promise<object>): Promise<object | null> {
  try {
    return await show();
  } catch (error) {
    if (error instanceof CarillonError && error.code.endsWith('-unknown')) return null;
    throw error;
  }
}

async function campaignOf(ledger: Ledger, id: string): Promise<object> {
  const campaign = await showCampaign(ledger, id);
  return { ...campaign, campaign: campaign.name };
}

/** Events name the lane's id; keys are known by name. */
async function keysOf({ ledger, lanes, bucket }: BodyDeps, events: readonly LedgerEvent[]): Promise<Built> {
  const [rows, { items }] = await Promise.all([ledger.lanes.list(), listKeys({ ledger, lanes }, bucket)]);
  const names = new Map(rows.map((row) => [String(row.id), row.name]));
  return bodiesOf(events, (event) => items.find((key) => key.name === names.get(event.subject ?? '')));
}

function bodiesOf(
  events: readonly LedgerEvent[],
  find: (event: LedgerEvent) => object | null | undefined,
): Built {
  const bodies = events.flatMap((event) => {
    const body = find(event);
    return body ? [[event, body] as const] : [];
  });
  return { bodies: new Map(bodies) };
}
