import { currentActor } from '../../base/actor.ts';
import { type BoundedMap, createBoundedMap } from '../../base/bounded-map.ts';
import { withDeadline } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import { validTraceparent } from '../../base/spans.ts';
import type { CallAdded } from '../../ledger/calls/add.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { KeyedRequest } from '../../ledger/idempotency/idempotency.ts';
import type { Ledger, Together } from '../../ledger/ledger.ts';
import { judge, neverOpens } from '../../rules/calendar/calendar.ts';
import type { Caller, Order } from '../../rules/order.ts';
import { isCaller } from '../../voice/numbers-and-agents.ts';
import { readOrder } from '../order/order.ts';
import { refuseErased } from '../people/erase.ts';
import { type Once, once, readKeyed } from '../requests/idempotency.ts';
import { checkOverride, type ServiceAccess } from '../service/access.ts';
import { listNumbers } from '../service/account.ts';
import { readCall, type SingleOrder, suppressed } from './read.ts';
import { type CallDeps, callShape, type ShownCall } from './show.ts';

/** Orders a single call: it is created once, however often the request is sent. */
type MadeCall = { call: number };

/** `lane`: the call is planned there at once because `by` waits for it; otherwise the background workers make it. */
type Ordering = {
  request: KeyedRequest | null;
  lane?: number | undefined;
  by?: string;
  /** Checked in the transaction that adds the call, which throws with it. */
  still?: ((verbs: Together) => Promise<void>) | undefined;
  traceparent?: string | null;
};

/** `attempt` is null unless it was planned at once. */
export type Ordered = { id: number; attempt: string | null };

/** `header` is the sender's `traceparent`, if it sent one. */
export async function createCall(
  deps: ServiceAccess,
  body: unknown,
  key: unknown,
  header?: unknown,
  still?: Ordering['still'],
): Promise<Once<ShownCall>> {
  const order = await readCall(body);
  checkOverride(deps, order.override);
  await refuseErased(deps.ledger, order.person.phone);
  const request = readKeyed(['call', deps.baseUrl], key, askedOf(order));
  const ordering = { request, traceparent: validTraceparent(header), still };
  const id = await addToKnown(deps, order, ordering);
  if (id !== null) return { answer: await show(deps, id), fresh: true };
  return once<ShownCall, MadeCall>(deps.ledger, request, {
    async act() {
      const fault = await callerFault(deps, order.caller);
      if (fault) throw fault;
      return show(deps, (await orderCall(deps, order, ordering)).id);
    },
    // A call that cannot be found is no reason to call again.
    again: ({ call }) => show(deps, call),
  });
}

/** Built from the order as it was read, because a phone can be written in many forms. */
function askedOf({ agentId, caller, override, ignoresPolicy, person }: SingleOrder) {
  return [agentId, caller, override, ignoresPolicy, person.phone, person.name, person.variables];
}

/**
 * Adds the person in one step if the campaign is known, as it almost always is. Null when nothing was added: the long
 * way then says why.
 */
async function addToKnown(
  deps: ServiceAccess,
  order: SingleOrder,
  ordering: Ordering,
): Promise<number | null> {
  const { ledger, baseUrl, clock } = deps;
  const campaigns = knownOf(ledger);
  const key = keyOf(baseUrl, order);
  // It may no longer dial.
  const known = campaigns.get(key);
  if (known === undefined || whyNever({ ledger, now: clock.now() }, order) !== null) return null;
  if ((await callerFault(deps, order.caller)) !== null) return null;
  const { id, campaign } = await add(deps, known, order, ordering);
  if (id === null && campaign !== 'running') campaigns.delete(key);
  return id;
}

/** Adds the person to the people to call. */
export async function orderCall(deps: CallDeps, order: SingleOrder, ordering: Ordering): Promise<Ordered> {
  const { ledger, baseUrl, clock } = deps;
  // Such a call would wait for ever.
  const never = whyNever({ ledger, now: clock.now() }, order);
  if (never) throw new CarillonError('policy-holds', `${order.person.phone} ${never}`);
  const campaign = await findCampaign(ledger, baseUrl, order);
  knownOf(ledger).set(keyOf(baseUrl, order), campaign.id);
  const { id, attempt, ...added } = await add(deps, campaign.id, order, ordering);
  if (id !== null) return { id, attempt };
  if (added.suppressed) throw suppressed(order.person.phone);
  if (added.campaign === 'running') throw new CarillonError('request-in-progress');
  throw stopped(campaign.name, added.campaign);
}

/** The campaign that gathers such calls does not dial. */
export function stopped(name: string, state: string | null): CarillonError {
  return new CarillonError('campaign-state', `The campaign ${name}, which gathers these calls, is ${state}`, {
    remedy:
      'Continue it with `carillon campaign resume NAME`, or POST /api/campaigns/NAME/resume, then order the call again.',
  });
}

function add(
  { ledger }: CallDeps,
  campaign: string,
  { person, override, agentId, ignoresPolicy }: SingleOrder,
  { request, lane, traceparent, by = currentActor().name, still }: Ordering,
): Promise<CallAdded> {
  const overriddenBy = ignoresPolicy ? by : null;
  const ordered = { ...person, override, agent: agentId, overriddenBy, request, lane, traceparent };
  if (!still) return ledger.calls.add(campaign, ordered);
  return ledger.together(async (verbs) => {
    await still(verbs);
    return verbs.calls.add(campaign, ordered);
  });
}

async function show(deps: CallDeps, id: number): Promise<ShownCall> {
  const call = await deps.ledger.calls.find(id);
  if (!call) throw new CarillonError('call-unknown');
  return callShape(deps, call);
}

/** Checks a single call by the contact rules before it is stored. `now` is the ledger's time. */
type Rules = { ledger: Pick<Ledger, 'policies' | 'calendarOf'>; now: number };

/** Why the phone's hours are never open; null when they are at some time. */
function whyNever({ ledger, now }: Rules, { person, ignoresPolicy }: SingleOrder): string | null {
  if (ignoresPolicy || !ledger.policies.now()) return null;
  return neverOpens(ledger.calendarOf(null), person.place, now);
}

/** Whether the phone's hours are closed now, so that the call waits for the background workers. */
export function isShut({ ledger, now }: Rules, { person, ignoresPolicy }: SingleOrder): boolean {
  if (ignoresPolicy || !ledger.policies.now()) return false;
  return !judge(ledger.calendarOf(null), person.place, now).open;
}

/** How old the list may be if it has the number, and if it does not. A listing that failed is soon asked for again. */
const ages = [600_000, 10_000].map((whole) => ({ whole, failed: 10_000 }));
/** The longest that a call is held up for this check. */
const waitMs = 2_000;

/**
 * Refuses a caller number that the service does not have, as the start of a campaign does. The list of numbers is kept,
 * so that a call costs no request for it. If the service does not answer, the call is accepted: it waits for the
 * service anyway.
 */
export async function callerFault(
  service: ServiceAccess,
  caller: Caller | null,
): Promise<CarillonError | null> {
  if (caller === null || service.lanes.length === 0) return null;
  for (const age of ages) {
    const listed = listNumbers(service, age).catch(() => null);
    const known = await withDeadline(listed, waitMs, () => null);
    const isKnown = known?.items.some(({ id, phone_number }) =>
      isCaller({ id, phone: phone_number }, caller),
    );
    if (!known || known.failed.length > 0 || isKnown) return null;
  }
  const shown = 'number' in caller ? caller.number : `with the id ${caller.numberId}`;
  return new CarillonError(
    'caller-unknown',
    `The caller number ${shown} is not among the account’s phone numbers`,
  );
}

/** The campaigns that gathered calls before, by service and plain name: they keep name and order while they dial. */
const known = new WeakMap<Ledger, BoundedMap<string>>();
const mostKnown = 1_000;

function knownOf(ledger: Ledger): BoundedMap<string> {
  const found = known.get(ledger) ?? createBoundedMap<string>(mostKnown);
  known.set(ledger, found);
  return found;
}

const keyOf = (baseUrl: string, order: SingleOrder) => `${baseUrl} ${plainName(order)}`;

/** The name of the campaign that gathers such calls, unless another has it. */
export function plainName({ agentId, caller, ignoresPolicy }: SingleOrder): string {
  const from = caller ? `-from-${'number' in caller ? caller.number : caller.numberId}` : '';
  return `calls-${agentId}${from}${ignoresPolicy ? '-ignoring-policy' : ''}`;
}

/**
 * Gathers single calls of one agent and caller in a campaign, and calls that ignore the contact rules in another. If
 * the name is taken, the service's host is added.
 */
async function findCampaign(ledger: Ledger, baseUrl: string, order: SingleOrder): Promise<Campaign> {
  const { agentId, caller, ignoresPolicy, person } = order;
  const plain = plainName(order);
  const isOurs = (found: Campaign) => found.baseUrl === baseUrl && found.kind === 'calls';
  for (const name of [plain, `${plain}@${new URL(baseUrl).host}`]) {
    let found = await ledger.campaigns.find(name);
    if (found && !isOurs(found)) continue;
    // A canceled campaign never dials again: it keeps its calls and gives up its name.
    if (found?.state === 'canceled') await ledger.campaigns.supersede(found.id);
    else if (found) return found;
    // A refused call leaves no campaign behind, and a campaign that does not exist yet has no suppressions of its own.
    if (await ledger.suppressions.bars(person.phone)) throw suppressed(person.phone);
    await ledger.campaigns.create({
      name,
      kind: 'calls',
      baseUrl,
      state: 'running',
      driver: 'background',
      order: orderOf(agentId, caller, ignoresPolicy),
    });
    // Another process created it first: it is the same campaign.
    found = await ledger.campaigns.get(name);
    if (isOurs(found)) return found;
  }
  throw new CarillonError('campaign-elsewhere', `The name ${plain} belongs to a campaign of another kind`, {
    remedy: 'Cancel that campaign, or start it over under another name.',
  });
}

function orderOf(agentId: string, caller: Caller | null, ignoresPolicy: boolean): Order {
  const order = readOrder({ agent: agentId });
  const times = ignoresPolicy ? ({ ignoresPolicy } as const) : null;
  return { ...order, agents: [{ id: agentId, share: 1 }], callers: caller ? [caller] : [], times };
}
