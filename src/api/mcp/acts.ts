import { z } from 'zod';
import { createSeal } from '../../base/seal.ts';
import { readSecret } from '../../base/secret.ts';
import { createCall } from '../../control/calls/create.ts';
import { callInput, readCall } from '../../control/calls/read.ts';
import {
  cancelCampaign,
  pauseAll,
  pauseCampaign,
  showToStop,
  startCampaign,
} from '../../control/campaigns/moves.ts';
import { retryCampaign, retryInput } from '../../control/campaigns/retry.ts';
import { showCampaign } from '../../control/campaigns/show.ts';
import { callBasis, proposeCall, proposeRetry, proposeSuppression } from '../../control/proposals/calls.ts';
import {
  moveBasis,
  type Proposal,
  proposeCancel,
  proposePause,
  proposeResume,
  proposeStop,
} from '../../control/proposals/proposal.ts';
import { actInTwoSteps, type Stepped, type Still, type TwoSteps } from '../../control/proposals/two-steps.ts';
import { read } from '../../control/requests/input.ts';
import { followHangUps } from '../../control/stopping/hang-ups.ts';
import { suppress, suppressInput } from '../../control/suppressions/change.ts';
import type { Together } from '../../ledger/ledger.ts';
import { type ActTool, campaignField, confirmField, type Given, type ToolDeps } from './tool.ts';

/** What an assistant may do, in two steps: what it would do is told before it is done. */
type Steps = Omit<TwoSteps<unknown>, 'name' | 'asked' | 'confirm'>;

function inSteps(
  name: string,
  steps: (given: Given, deps: ToolDeps) => Steps,
): (given: Given, confirm: string | undefined, deps: ToolDeps) => Promise<Stepped<unknown>> {
  return (given, confirm, deps) => {
    const { ledger, permit, config } = deps.app;
    const sealed = { ledger, now: permit.now, seal: () => createSeal(readSecret(config)) };
    return actInTwoSteps(sealed, { name, asked: given, confirm, ...steps(given, deps) });
  };
}

const campaignOnly = z.strictObject(campaignField);

/** Of an act that calls nobody: what it rests on is checked in a transaction before it. */
const then =
  ({ app }: ToolDeps, act: (key: string) => Promise<unknown>): Steps['act'] =>
  async (key, still) => {
    await app.ledger.together(still);
    return act(key);
  };

const idOf =
  ({ app }: ToolDeps, campaign: string) =>
  async () =>
    (await app.ledger.campaigns.get(campaign)).id;

/** An act that moves a campaign from one state to another: a repeat answers how it stands now. */
function move(
  facts: Pick<ActTool, 'name' | 'title' | 'does' | 'destructive' | 'calls'>,
  basis: (verbs: Together, id: string) => Promise<unknown>,
  propose: (deps: ToolDeps, campaign: string) => Promise<Proposal>,
  act: (deps: ToolDeps, campaign: string) => Steps['act'],
): ActTool {
  return {
    ...facts,
    role: 'operate',
    input: campaignOnly.extend(confirmField),
    act: inSteps(facts.name, (given, deps) => {
      const { campaign } = read(campaignOnly, given);
      const about = idOf(deps, campaign);
      return {
        about,
        basis: async (verbs) => basis(verbs, await about()),
        propose: () => propose(deps, campaign),
        act: act(deps, campaign),
        again: () => showCampaign(deps.app.ledger, campaign),
      };
    }),
  };
}

const moves: ActTool[] = [
  move(
    {
      name: 'pause_campaign',
      title: 'Pause a campaign',
      does: 'Pauses a campaign: no call begins after it, and calls in progress go on to their end.',
      destructive: false,
      calls: false,
    },
    moveBasis.pause,
    ({ service }, campaign) => proposePause(service, campaign),
    (deps, campaign) => then(deps, () => pauseCampaign(deps.app, campaign)),
  ),
  move(
    {
      name: 'resume_campaign',
      title: 'Start or resume a campaign',
      does: 'Starts a campaign, or resumes one that is paused: it calls real people.',
      destructive: true,
      calls: true,
    },
    moveBasis.resume,
    ({ service }, campaign) => proposeResume(service, campaign),
    ({ service }, campaign) =>
      (_key, still) =>
        startCampaign(service, campaign, undefined, still),
  ),
  move(
    {
      name: 'cancel_campaign',
      title: 'Cancel a campaign',
      does: 'Cancels a campaign for good: everyone who was not called is skipped. It cannot be undone.',
      destructive: true,
      calls: false,
    },
    moveBasis.cancel,
    ({ service }, campaign) => proposeCancel(service, campaign),
    (deps, campaign) => then(deps, () => cancelCampaign(deps.app, campaign)),
  ),
  {
    name: 'stop_everything',
    title: 'Stop everything',
    does: 'Pauses every running campaign, of every service. Calls in progress go on to their end.',
    role: 'operate',
    input: z.strictObject(confirmField),
    destructive: false,
    calls: false,
    act: inSteps('stop_everything', (given, deps) => {
      read(z.strictObject({}), given);
      const { app, service } = deps;
      return {
        // Whatever runs by then is stopped, so it rests on nothing.
        about: async () => '',
        basis: async () => null,
        propose: () => proposeStop(service),
        act: then(deps, () => pauseAll(app)),
        again: () => showToStop(app.ledger),
      };
    }),
  },
];

const retried = retryInput.extend(campaignField);
/** An assistant can lift no rule, and changes no agent's settings. */
const called = callInput.omit({ ignore_policy: true, override: true });
/** Few enough that the person who is asked can read them all. */
const suppressed = suppressInput
  .omit({ hang_up: true, all_numbers: true })
  .extend({ phones: suppressInput.shape.phones.max(100) });

const calls: ActTool[] = [
  {
    name: 'retry_campaign',
    title: 'Call people again',
    does: 'Calls people of a campaign again whose last call ended with these outcomes, one more attempt for each.',
    role: 'operate',
    input: retried.extend(confirmField),
    destructive: true,
    calls: true,
    act: inSteps('retry_campaign', (given, deps) => {
      const { app, service } = deps;
      const { campaign, ...body } = read(retried, given);
      const about = idOf(deps, campaign);
      const retry = async (key: string, still?: Still) =>
        (await retryCampaign({ ...service, log: app.log }, campaign, body, key, still)).answer;
      return {
        about,
        basis: async (verbs) => callBasis.retry(verbs, await about(), body),
        propose: () => proposeRetry(service, campaign, body),
        act: retry,
        again: retry,
      };
    }),
  },
  {
    name: 'call_person',
    title: 'Call one person',
    does: 'Calls one person once, within hours and contact rules.',
    role: 'operate',
    input: called.extend(confirmField),
    destructive: true,
    calls: true,
    act: inSteps('call_person', (given, { service }) => {
      const body = read(called, given);
      const call = async (key: string, still?: Still) =>
        (await createCall(service, body, key, undefined, still)).answer;
      return {
        about: async () => (await readCall(body)).person.phone,
        basis: (verbs) => callBasis.call(verbs, service, body),
        propose: () => proposeCall(service, body),
        act: call,
        again: call,
      };
    }),
  },
  {
    name: 'suppress_phones',
    title: 'Never call these phones',
    does: 'Suppresses phones, on every campaign or on one, for ever or until a time: no call to them begins after it.',
    role: 'operate',
    input: suppressed.extend(confirmField),
    destructive: true,
    calls: false,
    act: inSteps('suppress_phones', (given, deps) => {
      const { app, service } = deps;
      const body = read(suppressed, given);
      const hangUp = (ids: string[]) => followHangUps(service, ids);
      const bar = async (key: string) => (await suppress(app, body, 'api', hangUp, key)).answer;
      return {
        about: async () => JSON.stringify(body),
        basis: (verbs) => callBasis.suppress(verbs, body),
        propose: () => proposeSuppression(service, body),
        act: then(deps, bar),
        again: bar,
      };
    }),
  },
];

export const actTools: readonly ActTool[] = [...moves, ...calls];
