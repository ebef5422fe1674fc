import type { z } from 'zod';
import type { Together } from '../../ledger/ledger.ts';
import type { RecipientState } from '../../ledger/states.ts';
import type { Outcome } from '../../voice/outcomes.ts';
import { ableOf, findPeople, noOptions, previewBulk } from '../bulk/begin.ts';
import { callerFault, isShut, plainName } from '../calls/create.ts';
import { readCall, suppressed } from '../calls/read.ts';
import { canceled, ownCampaign } from '../campaigns/moves.ts';
import { readOutcomes, retryInput } from '../campaigns/retry.ts';
import { refuseErased } from '../people/erase.ts';
import { findFilter } from '../people/filter.ts';
import { searchPeople } from '../people/search.ts';
import { read } from '../requests/input.ts';
import { readEnd } from '../requests/time-range.ts';
import type { ServiceAccess } from '../service/access.ts';
import { readPhones, suppressInput } from '../suppressions/change.ts';
import { costOf, firstPeople, type Proposal, type ProposalDeps, peopleText, sentence } from './proposal.ts';

/** What calling people, or never calling them again, would do; and what each act rests on. */
export const callBasis = {
  async retry({ campaigns, people }: Together, id: string, body: unknown): Promise<unknown> {
    const outcomes = readOutcomes(read(retryInput, body).outcomes);
    return [await campaigns.keep(id), await people.digest({ campaign: id, outcomes })];
  },
  /** Whoever has the phone, in any campaign, and their calls: one more is another call. */
  async call({ people }: Together, { ledger, clock }: ProposalDeps, body: unknown): Promise<unknown> {
    const order = await readCall(body);
    return [await people.digest({ phone: order.person.phone }), isShut({ ledger, now: clock.now() }, order)];
  },
  async suppress({ campaigns, search }: Together, body: unknown): Promise<unknown> {
    return findPeople({ search }, await findFilter({ campaigns }, waitingOn(read(suppressInput, body))));
  },
};

export async function proposeRetry(
  service: ServiceAccess,
  nameOrId: string,
  body: unknown,
): Promise<Proposal> {
  const { ledger, baseUrl } = service;
  const outcomes = readOutcomes(read(retryInput, body).outcomes);
  const campaign = await ownCampaign(ledger, baseUrl, nameOrId);
  if (campaign.state === 'canceled') throw canceled(campaign);
  const wanted = { campaign: campaign.id, outcome: outcomes };
  const found = await findPeople(ledger, await findFilter(ledger, wanted));
  const { able, passed } = await previewBulk(ledger, 'retry', noOptions, found);
  const { price } = await ledger.budgets.price(campaign.id);
  const dials = campaign.state !== 'paused' && campaign.state !== 'draft';
  return {
    ...sentence`Calls ${peopleText(able)} of ${{ campaign: campaign.name }} again, whose last call ended ${outcomes.join(' or ') as Outcome}.`,
    people: able,
    who: await firstAble(service, found),
    calls: able,
    cost: costOf(able, price),
    notes: [
      ...Object.entries(passed).map(([why, n]) => `Passed over: ${peopleText(n)}, ${why}.`),
      ...(dials ? [] : [`The campaign is ${campaign.state}: they are called once it is resumed.`]),
    ],
  };
}

/** The first who are not passed over, of those whom one look tells. */
async function firstAble(service: ServiceAccess, found: readonly number[]): Promise<Proposal['who']> {
  const seen = await service.ledger.bulk.look(found.slice(0, 1_000));
  const able = ableOf('retry', noOptions, seen, () => undefined).slice(0, 10);
  return able.length === 0 ? [] : firstPeople(service, { recipient: able.map(({ id }) => String(id)) });
}

export async function proposeCall(service: ServiceAccess, body: unknown): Promise<Proposal> {
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
  const others = await searchPeople(service, { phone, limit: 10 });
  return {
    ...sentence`Calls ${name === null ? { phone } : { phone, name }} once, with the agent ${{ agent: order.agentId }}.`,
    people: 1,
    who: [],
    calls: 1,
    cost: costOf(1, price),
    notes: [
      ...(shut ? ['The contact rules do not allow the call now: it waits for its hours.'] : []),
      ...(others.items.length > 0
        ? [`Lists and calls with this phone so far: ${others.items.length}${others.next ? ' or more' : ''}.`]
        : []),
    ],
  };
}

export async function proposeSuppression(deps: ProposalDeps, body: unknown): Promise<Proposal> {
  const { ledger, clock } = deps;
  const wanted = read(suppressInput, body);
  const { campaign, until } = wanted;
  if (until !== undefined) readEnd(until, clock.now());
  const waiting = waitingOn(wanted);
  const found = await findPeople(ledger, await findFilter(ledger, waiting));
  return {
    ...sentence`Suppresses ${waiting.phone.length} phones for ${campaign === undefined ? 'every campaign' : { campaign }}, ${until === undefined ? 'for ever' : { until }}. ${peopleText(found.length)} who wait are skipped.`,
    people: found.length,
    who: await firstPeople(deps, waiting),
    calls: 0,
    cost: null,
    notes: [`Phones: ${waiting.phone.join(', ')}`],
  };
}

/** Those who wait for a call to one of these phones. */
function waitingOn({ phones, country, campaign }: z.output<typeof suppressInput>) {
  const state: RecipientState[] = ['waiting', 'queued', 'parked'];
  return { phone: readPhones(phones, country), state, campaign };
}
