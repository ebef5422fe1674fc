import { randomUUID } from 'node:crypto';
import { currentActor } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Ordered } from '../../ledger/calls/verbs.ts';
import { digestOf, readIdempotencyKey } from '../idempotency.ts';
import { canonical } from '../order/order.ts';
import { campaignFor } from './campaign.ts';
import { readCall, type SingleOrder, suppressed } from './read.ts';
import { type CallDeps, callShape, type ShownCall } from './show.ts';

/** A single call left to the background workers: created once, however often the request is sent. */
/** `fresh` is false when the call was ordered before; then this is how it stands. */
type Placed = { id: number; fresh: boolean };
export type OrderedCall = { call: ShownCall; fresh: boolean };

export async function createCall(deps: CallDeps, body: unknown, key: unknown): Promise<OrderedCall> {
  const { ledger, baseUrl } = deps;
  const order = await readCall(body);
  const given = readIdempotencyKey(key);
  const ref = given === undefined ? randomUUID() : digestOf(baseUrl, given);
  const before = given === undefined ? null : await ledger.calls.byRef(ref);
  const { id, fresh } = before ? sameOrder(before, order) : await add(deps, order, ref);
  const call = await ledger.calls.find(id);
  if (!call) throw new CarillonError('call-unknown');
  return { call: callShape(deps, call), fresh };
}

async function add({ ledger, baseUrl }: CallDeps, order: SingleOrder, ref: string): Promise<Placed> {
  const campaign = await campaignFor(ledger, baseUrl, order);
  const added = await ledger.calls.add(campaign.id, {
    ...order.person,
    override: order.override,
    ref,
    agent: order.agentId,
    overriddenBy: order.ignoresPolicy ? currentActor().name : null,
  });
  if (added.id !== null) return { id: added.id, fresh: true };
  // Another request with this key came between.
  const other = await ledger.calls.byRef(ref);
  if (other) return sameOrder(other, order);
  if (added.suppressed) throw suppressed(order.person.phone);
  throw new CarillonError(
    'campaign-state',
    `The campaign ${campaign.name}, which gathers these calls, is ${added.campaign}`,
    { remedy: `POST /api/campaigns/${encodeURIComponent(campaign.name)}/resume, then send the call again.` },
  );
}

/** The call that was ordered under this key, if the order is the same. */
function sameOrder(before: Ordered, order: SingleOrder): Placed {
  const { agentId, caller, override, ignoresPolicy, person } = order;
  const { terms, phone, name, variables } = before;
  const was = [
    terms.agents[0]?.id,
    terms.callers,
    phone,
    name,
    variables,
    before.override,
    terms.times?.ignoresPolicy === true,
  ];
  const is = [
    agentId,
    caller ? [caller] : [],
    person.phone,
    person.name,
    person.variables,
    override,
    ignoresPolicy,
  ];
  if (canonical(was) !== canonical(is)) throw new CarillonError('request-conflict');
  return { id: before.id, fresh: false };
}
