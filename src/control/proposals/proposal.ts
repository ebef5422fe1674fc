import { z } from 'zod';
import type { Ledger, Together } from '../../ledger/ledger.ts';
import { type ForecastDeps, forecastCampaign } from '../campaigns/forecast.ts';
import { canceled, comesHere, showToStop } from '../campaigns/moves.ts';
import { searchPeople } from '../people/search.ts';
import type { ServiceAccess } from '../service/access.ts';

/** What an act would do, told before it is done: to whom, and at what cost. */
const person = z.object({
  recipient: z.string(),
  campaign: z.string(),
  row: z.int(),
  phone: z.string(),
  name: z.string().nullable(),
});

const proposalShape = z.object({
  does: z
    .string()
    .describe('What the act would do, in a sentence: the words of others in it are places such as `{name}`.'),
  quoted: z.record(z.string(), z.string()).describe('What stands at those places.'),
  people: z.int().describe('How many people it is done to.'),
  who: z.array(person).describe('The first of them.'),
  calls: z.int().nullable().describe('How many calls would be made; null where nobody can tell.'),
  cost: z.number().nullable().describe('What they are likely to cost; null where no cost is known.'),
  notes: z.array(z.string()),
});
export type Proposal = z.output<typeof proposalShape>;

export type ProposalDeps = { ledger: Ledger; clock: { now(): number } };

const mostShown = 10;

/** The first people whom a filter of people finds. */
export async function firstPeople(deps: ProposalDeps, filter: object): Promise<Proposal['who']> {
  const { items } = await searchPeople(deps, { ...filter, limit: mostShown });
  const who = items.map(({ id, campaign, row, phone, name }) => ({
    recipient: id,
    campaign,
    row,
    phone,
    name,
  }));
  return who.sort((a, b) => a.row - b.row);
}

type Told = Pick<Proposal, 'does' | 'quoted'>;

/**
 * A sentence of ours. Words of others, such as a name, are given as `{name}`: a bare text does not compile, because it
 * could be anybody's. So no sentence says what a stranger wrote.
 */
export function sentence<const V extends readonly (string | number | Record<string, string>)[]>(
  texts: TemplateStringsArray,
  ...values: { [K in keyof V]: string extends V[K] ? never : V[K] }
): Told {
  const quoted: Record<string, string> = {};
  const shown = (values as V).map((value) => {
    if (typeof value !== 'object') return String(value);
    Object.assign(quoted, value);
    return Object.keys(value)
      .map((place) => `{${place}}`)
      .join(' ');
  });
  return { does: String.raw({ raw: texts }, ...shown), quoted };
}

/** "1 person", "12 people". */
export function peopleText(n: number): '1 person' | `${number} people` {
  return n === 1 ? '1 person' : `${n} people`;
}

export function costOf(calls: number, price: number | null): number | null {
  return price === null ? null : Math.round(calls * price * 100) / 100;
}

/** What stopping or continuing a campaign would do. */

/** Those whom a campaign has yet to call. */
const waitingStates = 'waiting,queued,parked';

async function standingOf(deps: ProposalDeps, nameOrId: string) {
  const { ledger } = deps;
  const campaign = await ledger.campaigns.get(nameOrId);
  const { counts } = await ledger.reports.standing(campaign.id);
  const left = counts.waiting + counts.queued + counts.parked;
  const who = await firstPeople(deps, { campaign: campaign.id, state: waitingStates });
  return { campaign, counts, left, who };
}

const unpriced = { calls: 0, cost: null } as const;

/** What each act on a campaign rests on. */
export const moveBasis = {
  /** Whom it has yet to call changes while it dials, so only the campaign and its state count. */
  async pause({ campaigns }: Together, id: string): Promise<unknown> {
    return (await campaigns.keep(id))?.state;
  },
  /** It cannot be undone, so it rests on the length of the list too: whoever was added since is not meant. */
  async cancel({ campaigns, reports }: Together, id: string): Promise<unknown> {
    return [(await campaigns.keep(id))?.state, (await reports.standing(id)).rows];
  },
  /** The people whom it would call, with all that their calls say. */
  async resume({ campaigns, people }: Together, id: string): Promise<unknown> {
    return [await campaigns.keep(id), await people.digest({ campaign: id })];
  },
};

export async function proposePause(deps: ProposalDeps, nameOrId: string): Promise<Proposal> {
  const { campaign, counts, left, who } = await standingOf(deps, nameOrId);
  return {
    ...sentence`Pauses the campaign ${{ campaign: campaign.name }}, which is ${campaign.state}: ${peopleText(left)} are not called until it is resumed.`,
    people: left,
    who,
    ...unpriced,
    notes: callingNotes(counts.calling),
  };
}

export async function proposeCancel(deps: ProposalDeps, nameOrId: string): Promise<Proposal> {
  const { campaign, counts, left, who } = await standingOf(deps, nameOrId);
  return {
    ...sentence`Cancels the campaign ${{ campaign: campaign.name }} for good: ${peopleText(left)} who were not called are skipped. This cannot be undone.`,
    people: left,
    who,
    ...unpriced,
    notes: callingNotes(counts.calling),
  };
}

export async function proposeResume(
  deps: ProposalDeps & ForecastDeps & Pick<ServiceAccess, 'baseUrl'>,
  nameOrId: string,
): Promise<Proposal> {
  const { campaign, left, who } = await standingOf(deps, nameOrId);
  if (campaign.state === 'canceled') throw canceled(campaign);
  await comesHere(deps.ledger, deps.baseUrl, campaign);
  const { calls, cost } = await forecastCampaign(deps, campaign.id);
  return {
    ...sentence`Starts or resumes the campaign ${{ campaign: campaign.name }}, which is ${campaign.state}: it calls ${peopleText(left)}.`,
    people: left,
    who,
    calls,
    cost,
    notes: ['Hours, contact rules and the budget still apply. `calls` and `cost` are a forecast.'],
  };
}

/** Whatever runs by then is stopped, so it rests on nothing. */
export async function proposeStop(deps: ProposalDeps): Promise<Proposal> {
  const { campaigns, people, calling } = await showToStop(deps.ledger);
  return {
    ...sentence`Stops everything: pauses each of ${campaigns} running campaigns, of every service.`,
    people,
    who: [],
    ...unpriced,
    notes: callingNotes(calling),
  };
}

function callingNotes(calling: number): string[] {
  return calling === 0 ? [] : [`${calling} calls in progress go on to their end.`];
}
