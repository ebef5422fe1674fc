import { noOptions } from '../bulk/ask.ts';
import { findPeople } from '../bulk/begin.ts';
import { ableOf, previewBulk } from '../bulk/judge.ts';
import { callerFault } from '../calls/caller.ts';
import { plainName } from '../calls/campaign.ts';
import { isShut } from '../calls/create.ts';
import { readCall, suppressed } from '../calls/read.ts';
import { canceled, ownCampaign } from '../campaigns/moves.ts';
import { readOutcomes, retryInput } from '../campaigns/retry.ts';
import { refuseErased } from '../people/erase.ts';
import { findFilter } from '../people/filter.ts';
import { read } from '../requests/input.ts';
import type { ServiceAccess } from '../service/access.ts';
import { readEnd, readPhones, scopeOf, suppressInput } from '../suppressions/change.ts';
import {
  costOf,
  firstPeople,
  type Proposal,
  type ProposalDeps,
  type Proposed,
  peopleText,
} from './proposal.ts';

/** What calling people, or never calling them again, would do. */
export async function proposeRetry(
  service: ServiceAccess,
  nameOrId: string,
  body: unknown,
): Promise<Proposed> {
  const { ledger, baseUrl } = service;
  const outcomes = readOutcomes(read(retryInput, body).outcomes);
  const campaign = await ownCampaign(ledger, baseUrl, nameOrId);
  if (campaign.state === 'canceled') throw canceled(campaign);
  const wanted = { campaign: campaign.id, outcome: outcomes };
  const found = await findPeople(ledger, await findFilter(ledger, wanted));
  const { able, passed } = await previewBulk(ledger, 'retry', noOptions, found);
  const { price } = await ledger.budgets.price(campaign.id);
  const dials = campaign.state !== 'paused' && campaign.state !== 'draft';
  const proposal: Proposal = {
    does: `Calls ${peopleText(able)} of ${campaign.name} again, whose last call ended ${outcomes.join(' or ')}.`,
    people: able,
    who: await firstAble(service, found),
    calls: able,
    cost: costOf(able, price),
    notes: [
      ...Object.entries(passed).map(([why, n]) => `Passed over: ${peopleText(n)}, ${why}.`),
      ...(dials ? [] : [`The campaign is ${campaign.state}: they are called once it is resumed.`]),
    ],
  };
  const { id, state, revision } = campaign;
  return { proposal, basis: { id, state, revision, outcomes, able, found } };
}

/** The first who are not passed over, of those whom one look tells. */
async function firstAble(service: ServiceAccess, found: readonly number[]): Promise<Proposal['who']> {
  const seen = await service.ledger.bulk.look(found.slice(0, 1_000));
  const able = ableOf('retry', noOptions, seen, () => undefined).slice(0, 10);
  return able.length === 0 ? [] : firstPeople(service, { recipient: able.map(({ id }) => String(id)) });
}

export async function proposeCall(service: ServiceAccess, body: unknown): Promise<Proposed> {
  const { ledger, clock } = service;
  const order = await readCall(body);
  const { phone, name } = order.person;
  await refuseErased(ledger, phone);
  if (await ledger.suppressions.bars(phone)) throw suppressed(phone);
  const fault = await callerFault(service, order.caller);
  if (fault) throw fault;
  const campaign = await ledger.campaigns.find(plainName(order));
  const { budgets } = ledger;
  const { price } = await (campaign ? budgets.price(campaign.id) : budgets.priceOfAgents([order.agentId]));
  const shut = isShut({ ledger, now: clock.now() }, order);
  const proposal: Proposal = {
    does: `Calls ${phone}${name ? ` (${name})` : ''} once, with the agent ${order.agentId}.`,
    people: 1,
    who: [],
    calls: 1,
    cost: costOf(1, price),
    notes: shut ? ['The contact rules do not allow the call now: it waits for its hours.'] : [],
  };
  return { proposal, basis: { order, shut, state: campaign?.state ?? null } };
}

export async function proposeSuppression(deps: ProposalDeps, body: unknown): Promise<Proposed> {
  const { ledger, clock } = deps;
  const { phones: given, campaign, until, country } = read(suppressInput, body);
  const phones = readPhones(given, country);
  const scope = await scopeOf(ledger, campaign);
  if (until !== undefined) readEnd(until, clock.now());
  const wanted = { phone: phones, state: 'waiting,queued,parked', ...(scope ? { campaign: scope } : {}) };
  const states = ['waiting', 'queued', 'parked'] as const;
  const filter = await findFilter(ledger, { ...wanted, state: [...states] });
  const found = await findPeople(ledger, filter);
  const where = campaign === undefined ? 'no campaign calls' : `the campaign ${campaign} does not call`;
  const proposal: Proposal = {
    does: `Suppresses ${phones.length} phones: ${where} them${until === undefined ? ', for ever' : ` until ${until}`}. ${peopleText(found.length)} who wait are skipped.`,
    people: found.length,
    who: await firstPeople(deps, wanted),
    calls: 0,
    cost: null,
    notes: [`Phones: ${phones.join(', ')}`],
  };
  return { proposal, basis: { phones, scope, found } };
}
