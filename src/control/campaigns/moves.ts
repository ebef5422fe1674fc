import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger, Together } from '../../ledger/ledger.ts';
import { requireSound } from '../ledger/history.ts';
import { yes } from '../requests/input.ts';
import { wholeOf } from '../requests/page.ts';
import type { ServiceAccess } from '../service/access.ts';
import { checkOrder } from '../service/preflight.ts';
import {
  awaitLastSends,
  type HangUpWait,
  type HungUp,
  hungUpShape,
  type LastSendsDeps,
} from '../stopping/hang-ups.ts';
import { campaignAnswer, type ShownCampaign, showCampaign } from './show.ts';

/** Starts, pauses, resumes and cancels. Each may be repeated; stopping works whatever service a campaign belongs to. */
const byHand = 'paused by hand';
/** The reason of campaigns paused by the stop button, so that they can be resumed together. */
export const byStop = `${byHand}: everything was stopped`;

/** The background workers dial it from now on, or its own run if that is active. */
export async function startCampaign(
  service: ServiceAccess,
  nameOrId: string,
  why?: string,
  still?: (verbs: Together) => Promise<void>,
): Promise<ShownCampaign> {
  const { ledger } = service;
  await requireSound(ledger);
  const campaign = await ledger.campaigns.get(nameOrId);
  const comes = await comesHere(ledger, service.baseUrl, campaign, ofAnother);
  // A campaign that is already dialled continues unchanged.
  const dialled = campaign.driver === 'background' || campaign.runLives;
  if (campaign.state !== 'running' || !dialled || comes) {
    await checkPeople(ledger, campaign);
    const requests = await checkOrder(service, campaign);
    await ledger.campaigns.countRequests(campaign.id, requests);
    const resumed = await ledger.together(async (verbs) => {
      await still?.(verbs);
      const { campaigns, activity } = verbs;
      if (comes) await bringHere({ campaigns, activity }, service.baseUrl, campaign);
      const driver = await campaigns.resume(campaign.id);
      if (driver !== null)
        await activity.record({
          verb: 'campaign.start',
          subject: campaign.id,
          campaign: campaign.id,
          before: { state: campaign.state },
          after: { state: 'running', ...(why ? { why } : {}) },
        });
      return driver;
    }, still && 'long');
    if (resumed === null) throw canceled(campaign);
  } else if (still) await ledger.together(still, 'long');
  // A run that left for lack of credit may have parked rows without an attempt that a probe would free.
  await ledger.campaigns.unpark(campaign.id);
  return showCampaign(ledger, campaign.id);
}

/** A run in the foreground dials it from now on, for at most `limit` calls. False when it was canceled. */
export async function takeCampaign(
  ledger: Ledger,
  id: string,
  runId: string,
  limit: number | null,
): Promise<boolean> {
  const taken = await ledger.together(async ({ campaigns, activity }) => {
    const taken = await campaigns.take(id, runId, limit);
    if (taken) await activity.record({ verb: 'campaign.run', subject: id, campaign: id });
    return taken;
  });
  // A run that left for lack of credit may have parked rows without an attempt that a probe would free.
  if (taken) await ledger.campaigns.unpark(id);
  return taken;
}

/** What happens to the calls in progress: they are followed to their end, or hung up first. */
type StopOptions = { hangUp?: HangUpWait | undefined };
export const stoppedCampaign = campaignAnswer
  .extend({ hang_ups: hungUpShape.optional().describe('Only if calls in progress were to be hung up.') })
  .meta({ id: 'StoppedCampaign' });
export type StoppedCampaign = z.output<typeof stoppedCampaign>;

/** `?hang_up=1` ends the calls in progress too. */
export const stopQuery = z.strictObject({ hang_up: yes.optional() });

/** When it answers, no more calls begin; calls in progress are followed to their end. */
export async function pauseCampaign(
  deps: LastSendsDeps,
  nameOrId: string,
  options: StopOptions = {},
): Promise<StoppedCampaign> {
  const { ledger } = deps;
  const { id } = await ledger.campaigns.get(nameOrId);
  await pause(ledger, id, options);
  const ended = await stopCalls(deps, [id], options);
  return { ...(await showCampaign(ledger, id)), ...ended };
}

/** Everything that the stop button would stop, in all services; the page shows it before a person confirms. */
export const toStopAnswer = z
  .object({
    campaigns: z.int().describe('Running campaigns that call a list.'),
    people: z.int().describe('People whom they have yet to call, and those who wait for a single call.'),
    calling: z.int().describe('Calls in progress, single calls too.'),
  })
  .meta({ id: 'ToStop' });

export async function showToStop(ledger: Ledger): Promise<z.output<typeof toStopAnswer>> {
  return ledger.attempts.toStop();
}

export const everythingPaused = wholeOf(campaignAnswer)
  .extend({
    seconds: z.number().describe('How long it took until no call could begin any more.'),
    calling: z.int().describe('Calls that are still in progress, of all campaigns and services.'),
    hang_ups: hungUpShape.optional().describe('Only if calls in progress were to be hung up.'),
  })
  .meta({ id: 'EverythingPaused' });
export type EverythingPaused = z.output<typeof everythingPaused>;

export const pauseAllInput = z.strictObject({
  hang_up: z.boolean().default(false).describe('Ends the calls in progress too.'),
});

/** The stop button: pauses every running campaign of every service. */
export async function pauseAll(deps: LastSendsDeps, options: StopOptions = {}): Promise<EverythingPaused> {
  const { ledger, clock } = deps;
  const began = clock.monotonic();
  const paused = await pause(ledger, null, options);
  const quiet = async () => {
    await awaitLastSends(deps, {});
    const seconds = Math.round((clock.monotonic() - began) / 100) / 10;
    return { seconds, calling: await ledger.attempts.onCalls() };
  };
  const [ended, told] = await Promise.all([hangUpCalls(deps, null, options), quiet()]);
  const items = await Promise.all(paused.map(({ id }) => showCampaign(ledger, id)));
  return { items, next: null, ...told, ...ended };
}

/**
 * Null is every running campaign. One that is paused already only has its calls hung up; one in another state is refused
 * before anything is done.
 */
async function pause(ledger: Ledger, campaign: string | null, { hangUp }: StopOptions) {
  const stop = campaign === null ? { reason: byStop } : {};
  const after = { state: 'paused', hang_up: hangUp !== undefined, ...stop };
  return ledger.together(async ({ campaigns, activity }) => {
    const record = (id: string, before: { state: string } | null) =>
      activity.record({ verb: 'campaign.pause', subject: id, campaign: id, before, after });
    const paused = await campaigns.pause(
      campaign === null ? null : [campaign],
      campaign === null ? byStop : byHand,
    );
    for (const { id } of paused) await record(id, { state: 'running' });
    if (campaign === null || paused.length > 0) return paused;
    const { name, state } = await campaigns.get(campaign);
    if (state !== 'paused')
      throw new CarillonError('campaign-state', `The campaign ${name} is ${state} and dials nobody`);
    if (hangUp) await record(campaign, null);
    return paused;
  });
}

/** Final: everyone not yet called is skipped. The rows of a long list follow within seconds. */
export async function cancelCampaign(
  deps: LastSendsDeps,
  nameOrId: string,
  options: StopOptions = {},
): Promise<StoppedCampaign> {
  const { ledger } = deps;
  const campaign = await ledger.campaigns.get(nameOrId);
  const { id, state } = campaign;
  const after = { state: 'canceled', hang_up: options.hangUp !== undefined };
  const record = { verb: 'campaign.cancel', subject: id, campaign: id, before: { state }, after } as const;
  if (state !== 'canceled') await ledger.campaigns.cancel(id, record);
  else if (options.hangUp) await ledger.activity.record(record);
  const ended = await stopCalls(deps, [campaign.id], options);
  return { ...(await showCampaign(ledger, campaign.id)), ...ended };
}

/** Runs after the stop was committed. */
async function stopCalls(
  deps: LastSendsDeps,
  campaigns: string[],
  options: StopOptions,
): Promise<{ hang_ups?: HungUp }> {
  const [ended] = await Promise.all([
    hangUpCalls(deps, campaigns, options),
    awaitLastSends(deps, { campaigns }),
  ]);
  return ended;
}

/** Null is every campaign. */
async function hangUpCalls(
  { ledger }: LastSendsDeps,
  campaigns: string[] | null,
  { hangUp }: StopOptions,
): Promise<{ hang_ups?: HungUp }> {
  return hangUp ? { hang_ups: await hangUp(await ledger.hangUps.ofCampaigns(campaigns)) } : {};
}

/** A campaign of another service may be read and stopped, but not dialled or changed from here. */
export async function ownCampaign(ledger: Ledger, baseUrl: string, nameOrId: string): Promise<Campaign> {
  const campaign = await ledger.campaigns.get(nameOrId);
  if (campaign.baseUrl === baseUrl) return campaign;
  throw elsewhere(campaign, baseUrl, ofAnother);
}

/**
 * Whether a campaign of another address may move to ours, because it has called nobody. Only an act that dials moves
 * it; a campaign that has called somebody is refused.
 */
export async function comesHere(
  { campaigns }: Pick<Ledger, 'campaigns'>,
  baseUrl: string,
  campaign: Campaign,
  remedy?: string,
): Promise<boolean> {
  if (campaign.baseUrl === baseUrl) return false;
  if (campaign.runLives || !(await campaigns.calledNobody(campaign.id)))
    throw elsewhere(campaign, baseUrl, remedy);
  return true;
}

export async function bringHere(
  { campaigns, activity }: Pick<Ledger, 'campaigns' | 'activity'>,
  baseUrl: string,
  campaign: Campaign,
): Promise<void> {
  const { id, baseUrl: from } = campaign;
  if (!(await campaigns.move(id, baseUrl))) throw elsewhere(campaign, baseUrl);
  const told = { before: { service: from }, after: { service: baseUrl } };
  await activity.record({ verb: 'campaign.change', subject: id, campaign: id, ...told });
}

const ofAnother =
  'Use a Carillon whose VOICE_BASE_URL is that address, or make a campaign with another name.';

function elsewhere({ name, baseUrl: theirs }: Campaign, baseUrl: string, remedy?: string): CarillonError {
  const belongs = `The campaign ${name} belongs to ${theirs}, and VOICE_BASE_URL is ${baseUrl}`;
  return new CarillonError('campaign-elsewhere', belongs, remedy ? { remedy } : undefined);
}

/** What is done to a list cannot be done to single calls, each of which has an order of its own. */
export function refuseCalls({ kind, name }: Campaign, why: string, remedy: string): void {
  if (kind === 'calls')
    throw new CarillonError('campaign-state', `${name} gathers single calls${why}`, { remedy });
}

export function canceled(campaign: Campaign): CarillonError {
  return new CarillonError(
    'campaign-state',
    `The campaign ${campaign.name} was canceled and stays canceled`,
    { remedy: 'Make a campaign with another name, or start it over with `carillon run --new`.' },
  );
}

async function checkPeople(ledger: Ledger, campaign: Campaign): Promise<void> {
  if (campaign.state === 'canceled') throw canceled(campaign);
  // An evergreen campaign may wait for its people.
  if (campaign.kind === 'calls' || campaign.evergreen) return;
  const { counts } = await ledger.reports.standing(campaign.id);
  if (counts.waiting + counts.queued + counts.calling + counts.parked + counts.unknown > 0) return;
  throw new CarillonError('nothing-to-dial', `The campaign ${campaign.name} has nobody to call`, {
    remedy: `Add people first, with \`carillon campaign add\` or POST /api/campaigns/${campaign.id}/recipients.`,
  });
}
