import { currentActor } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { CallAdded } from '../../ledger/calls/add.ts';
import type { KeyedRequest } from '../../ledger/idempotency/verbs.ts';
import { type Once, once, readKeyed } from '../idempotency.ts';
import { refuseErased } from '../people/erase.ts';
import type { Service } from '../service.ts';
import { callerFault } from './caller.ts';
import { campaignFor, forgetCampaign, knownCampaign } from './campaign.ts';
import { refuseNever, whyNever } from './policy.ts';
import { readCall, type SingleOrder, suppressed } from './read.ts';
import { type CallDeps, callShape, type ShownCall } from './show.ts';

/** A single call left to the background workers: created once, however often the request is sent. */
type MadeCall = { call: number };

export async function createCall(deps: Service, body: unknown, key: unknown): Promise<Once<ShownCall>> {
  const order = await readCall(body);
  await refuseErased(deps.ledger, order.person.phone);
  const request = readKeyed(['call', deps.baseUrl], key, askedOf(order));
  const id = await addToKnown(deps, order, request);
  if (id !== null) return { answer: await show(deps, id), fresh: true };
  return once<ShownCall, MadeCall>(deps.ledger, request, {
    async act() {
      const fault = await callerFault(deps, order.caller);
      if (fault) throw fault;
      return leaveCall(deps, order, request);
    },
    // Nobody is called again because a call cannot be found.
    again: ({ call }) => show(deps, call),
  });
}

/** However the request wrote it: a phone has many forms. */
function askedOf({ agentId, caller, override, ignoresPolicy, person }: SingleOrder) {
  return [agentId, caller, override, ignoresPolicy, person.phone, person.name, person.variables];
}

/** In one step where the campaign is known, as it almost always is. Null when that did nothing: the long way says why. */
async function addToKnown(
  deps: Service,
  order: SingleOrder,
  request: KeyedRequest | null,
): Promise<number | null> {
  const { ledger, baseUrl, clock } = deps;
  const known = knownCampaign(ledger, baseUrl, order);
  if (!known || whyNever({ ledger, now: clock.now() }, order) !== null) return null;
  if ((await callerFault(deps, order.caller)) !== null) return null;
  const { id, campaign } = await add(deps, known.id, order, request);
  if (id === null && campaign !== 'running') forgetCampaign(ledger, known);
  return id;
}

/** Adds the person to those whom the background workers call. */
export async function leaveCall(
  deps: CallDeps,
  order: SingleOrder,
  request: KeyedRequest | null,
): Promise<ShownCall> {
  const { ledger, baseUrl, clock } = deps;
  refuseNever({ ledger, now: clock.now() }, order);
  const campaign = await campaignFor(ledger, baseUrl, order);
  const added = await add(deps, campaign.id, order, request);
  if (added.id !== null) return show(deps, added.id);
  if (added.suppressed) throw suppressed(order.person.phone);
  if (added.campaign === 'running') throw new CarillonError('request-in-progress');
  throw new CarillonError(
    'campaign-state',
    `The campaign ${campaign.name}, which gathers these calls, is ${added.campaign}`,
    {
      remedy: `Continue it with \`carillon campaign resume ${campaign.name}\`, or POST /api/campaigns/${encodeURIComponent(campaign.name)}/resume, then order the call again.`,
    },
  );
}

function add(
  { ledger }: CallDeps,
  campaign: string,
  { person, override, agentId, ignoresPolicy }: SingleOrder,
  request: KeyedRequest | null,
): Promise<CallAdded> {
  const overriddenBy = ignoresPolicy ? currentActor().name : null;
  return ledger.calls.add(campaign, { ...person, override, agent: agentId, overriddenBy, request });
}

async function show(deps: CallDeps, id: number): Promise<ShownCall> {
  const call = await deps.ledger.calls.find(id);
  if (!call) throw new CarillonError('call-unknown');
  return callShape(deps, call);
}
