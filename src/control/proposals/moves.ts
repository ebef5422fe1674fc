import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import { type ForecastDeps, forecastCampaign } from '../campaigns/forecast.ts';
import { canceled, comesHere, showToStop } from '../campaigns/moves.ts';
import type { ServiceAccess } from '../service/access.ts';
import { firstPeople, type Proposal, type ProposalDeps, type Proposed, peopleText } from './proposal.ts';

/** What stopping or continuing a campaign would do. */

/** Those whom a campaign has yet to call. */
const waitingStates = 'waiting,queued,parked';

async function standingOf(deps: ProposalDeps, nameOrId: string) {
  const { ledger } = deps;
  const campaign = await ledger.campaigns.get(nameOrId);
  const { counts, rows } = await ledger.reports.standing(campaign.id);
  const left = counts.waiting + counts.queued + counts.parked;
  const who = await firstPeople(deps, { campaign: campaign.id, state: waitingStates });
  return { campaign, counts, rows, left, who };
}

const unpriced = { calls: 0, cost: null } as const;

/** Whom it has yet to call changes while it dials, so only the campaign and its state count. */
export async function proposePause(deps: ProposalDeps, nameOrId: string): Promise<Proposed> {
  const { campaign, counts, left, who } = await standingOf(deps, nameOrId);
  const proposal: Proposal = {
    does: `Pauses the campaign ${campaign.name}, which is ${campaign.state}: ${peopleText(left)} are not called until it is resumed.`,
    people: left,
    who,
    ...unpriced,
    notes: callingNotes(counts.calling),
  };
  return { proposal, basis: stateOf(campaign) };
}

/** It cannot be undone, so it rests on the length of the list too: whoever was added since is not meant. */
export async function proposeCancel(deps: ProposalDeps, nameOrId: string): Promise<Proposed> {
  const { campaign, counts, rows, left, who } = await standingOf(deps, nameOrId);
  const proposal: Proposal = {
    does: `Cancels the campaign ${campaign.name} for good: ${peopleText(left)} who were not called are skipped. This cannot be undone.`,
    people: left,
    who,
    ...unpriced,
    notes: callingNotes(counts.calling),
  };
  return { proposal, basis: { ...stateOf(campaign), rows } };
}

export async function proposeResume(
  deps: ProposalDeps & ForecastDeps & Pick<ServiceAccess, 'baseUrl'>,
  nameOrId: string,
): Promise<Proposed> {
  const { campaign, counts, rows, left, who } = await standingOf(deps, nameOrId);
  if (campaign.state === 'canceled') throw canceled(campaign);
  await comesHere(deps.ledger, deps.baseUrl, campaign);
  const { calls, cost } = await forecastCampaign(deps, campaign.id);
  const proposal: Proposal = {
    does: `Starts or resumes the campaign ${campaign.name}, which is ${campaign.state}: it calls ${peopleText(left)}.`,
    people: left,
    who,
    calls,
    cost,
    notes: ['Hours, contact rules and the budget still apply. `calls` and `cost` are a forecast.'],
  };
  const { revision, reason } = campaign;
  return { proposal, basis: { ...stateOf(campaign), revision, reason, rows, counts } };
}

/** Whatever runs by then is stopped, so it rests on nothing. */
export async function proposeStop(deps: ProposalDeps): Promise<Proposed> {
  const { campaigns, people, calling } = await showToStop(deps.ledger);
  const proposal: Proposal = {
    does: `Stops everything: pauses each of ${campaigns} running campaigns, of every service.`,
    people,
    who: [],
    ...unpriced,
    notes: callingNotes(calling),
  };
  return { proposal, basis: null };
}

const stateOf = ({ id, state }: Campaign) => ({ id, state });

function callingNotes(calling: number): string[] {
  return calling === 0 ? [] : [`${calling} calls in progress go on to their end.`];
}
