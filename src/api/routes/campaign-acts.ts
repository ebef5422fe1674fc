import { refreshCampaign, scheduledRefresh } from '../../control/calls/acts.ts';
import { forecastAnswer, forecastCampaign, forecastQuery } from '../../control/campaigns/forecast.ts';
import {
  cancelCampaign,
  everythingPaused,
  pauseAll,
  pauseAllInput,
  pauseCampaign,
  showToStop,
  startCampaign,
  stoppedCampaign,
  stopQuery,
  toStopAnswer,
} from '../../control/campaigns/moves.ts';
import { reportAnswer, reportCampaign, reportQuery } from '../../control/campaigns/report.ts';
import {
  everythingResumed,
  resumeAll,
  resumeAllInput,
  showToResume,
  toResumeAnswer,
} from '../../control/campaigns/resume-all.ts';
import { retriedAnswer, retryCampaign, retryInput } from '../../control/campaigns/retry.ts';
import {
  allSeriesAnswer,
  allSeriesQuery,
  campaignSeriesAnswer,
  campaignSeriesQuery,
  showAllSeries,
  showCampaignSeries,
} from '../../control/campaigns/series.ts';
import { campaignAnswer } from '../../control/campaigns/show.ts';
import { read } from '../../control/requests/input.ts';
import { followHangUps } from '../../control/stopping/hang-ups.ts';
import { type Route, routesOf, tellOnce } from '../route.ts';
import { tell } from './campaigns.ts';

/** Acts on a campaign: start, stop, retry, forecast and report. */
const another = ['campaign-unknown', 'campaign-elsewhere', 'campaign-state'] as const;

const { get, post } = routesOf('campaigns');

const starts = (['start', 'resume'] as const).map((verb) =>
  post(`/api/campaigns/{id}/${verb}`, `${verb}Campaign`, {
    role: 'operate',
    summary:
      verb === 'start'
        ? 'Starts a campaign; the background workers dial it.'
        : 'Continues a campaign that is paused, as a start does.',
    more: 'It can be repeated. The order is checked first.',
    answers: { 200: campaignAnswer },
    errors: [...another, 'nothing-to-dial', 'caller-unknown', 'agent-unknown', 'key-denied'],
    handle: async ({ params, reply }, { service }) => tell(reply, await startCampaign(service, params.id)),
  }),
);

const stops = (['pause', 'cancel'] as const).map((verb) =>
  post(`/api/campaigns/{id}/${verb}`, `${verb}Campaign`, {
    role: 'operate',
    summary:
      verb === 'pause'
        ? 'Pauses a campaign: after the answer, no call begins.'
        : 'Cancels a campaign for good: everyone who was not called is skipped.',
    more: 'It can be repeated. Calls under way are followed to their end, or hung up with `hang_up=1`. After the answer, no process sends a request for a call; the answer waits at most two seconds for requests admitted before. A campaign of another `VOICE_BASE_URL` can be stopped, but not started or changed.',
    query: stopQuery,
    answers: { 200: stoppedCampaign },
    errors: ['campaign-unknown', 'campaign-state'],
    handle: async ({ params, query, reply }, { app, service }) => {
      const { hang_up: wanted } = read(stopQuery, query);
      const hangUp = wanted ? (calls: string[]) => followHangUps(service, calls) : undefined;
      const stop = verb === 'pause' ? pauseCampaign : cancelCampaign;
      return tell(reply, await stop(app, params.id, { hangUp }));
    },
  }),
);

export const campaignActRoutes: Route[] = [
  ...starts,
  ...stops,
  get('/api/pause', 'showToStop', {
    role: 'read',
    summary: 'Counts what the stop button would stop now: campaigns, people and calls, of every service.',
    answers: { 200: toStopAnswer },
    handle: async (_, { service }) => showToStop(service.ledger),
  }),
  post('/api/pause', 'pauseEverything', {
    role: 'operate',
    summary: 'The stop button: pauses every running campaign, of every service.',
    more: 'After the answer, no call begins. It can be repeated. `items` are the campaigns that were running; each can be resumed alone.',
    body: pauseAllInput,
    bodyOptional: true,
    answers: { 200: everythingPaused },
    handle: async ({ body }, { app, service }) => {
      const { hang_up: wanted } = read(pauseAllInput, body);
      const hangUp = wanted ? (calls: string[]) => followHangUps(service, calls) : undefined;
      return pauseAll(app, { hangUp });
    },
  }),
  get('/api/resume', 'showToResume', {
    role: 'read',
    summary: 'Counts the campaigns that the stop button paused and that are still paused.',
    answers: { 200: toResumeAnswer },
    handle: async (_, { service }) => showToResume(service.ledger),
  }),
  post('/api/resume', 'resumeEverything', {
    role: 'operate',
    summary: 'Resumes the campaigns that the stop button paused, and no others.',
    more: 'A campaign that cannot be resumed stays paused and is listed in `refused`. It can be repeated.',
    body: resumeAllInput,
    bodyOptional: true,
    answers: { 200: everythingResumed },
    example: { body: { reason: 'the list was corrected' } },
    handle: ({ body }, { service }) => resumeAll(service, read(resumeAllInput, body)),
  }),
  post('/api/campaigns/{id}/retry', 'retryCampaign', {
    role: 'operate',
    summary: 'Calls people again whose calls have ended, one more attempt for each.',
    more: 'The answer comes when the whole list has been worked through. For a long list, `POST /api/bulk` with `retry` answers at once and shows its progress.',
    idempotent: true,
    body: retryInput,
    answers: { 200: retriedAnswer },
    errors: another,
    example: { body: { outcomes: ['failed', 'no-answer'] } },
    async handle({ params, body, request, reply }, { app: { log }, service }) {
      const key = request.headers['idempotency-key'];
      return tellOnce(reply, await retryCampaign({ ...service, log }, params.id, body, key), 200);
    },
  }),
  post('/api/campaigns/{id}/refresh', 'refreshCampaign', {
    role: 'operate',
    summary: 'Fetches again the records of ended calls that lack something.',
    more: 'The workers ask while the key has nothing else to do.',
    answers: { 200: scheduledRefresh },
    errors: ['campaign-unknown'],
    handle: ({ params }, { app }) => refreshCampaign(app.ledger, params.id),
  }),
  get('/api/campaigns/{id}/forecast', 'forecastCampaign', {
    role: 'read',
    summary: 'When the campaign will end, how many calls it still makes and what they cost.',
    more: '`with=max_calls=40` answers as if a field of the order had another value. Nothing is changed. It may be given several times, and reads a value as PATCH does; a field without a value gets its default.',
    query: forecastQuery,
    shared: true,
    answers: { 200: forecastAnswer },
    errors: ['campaign-unknown', 'window-empty'],
    handle: ({ params, query }, { app }) => {
      return forecastCampaign(app, params.id, query);
    },
  }),
  get('/api/campaigns/{id}/report', 'reportCampaign', {
    role: 'read',
    summary: 'How the campaign’s calls ended, over all of them and by one part of them.',
    more: 'Hours and weekdays are those of the person’s own clock when the call was placed; of several time zones the middle one counts. `value` is null where it is not known. Rates are shares from 0 to 1, durations seconds. Facts that a service tells later are added when they come.',
    query: reportQuery,
    answers: { 200: reportAnswer },
    errors: ['campaign-unknown'],
    handle: ({ params, query }, { app }) => reportCampaign(app.ledger, params.id, query),
  }),
  get('/api/campaigns/{id}/series', 'getCampaignSeries', {
    role: 'read',
    summary:
      'Lists what the campaign did over time: calls begun and ended, outcomes, cost, requests, result lag.',
    more: 'Events are counted within 15 s, and belong to the step in which they are counted. At most 1,500 steps. The sums of all steps are those of the campaign; only `refused` and `result_lag` lack the last ten seconds of a process that died.',
    query: campaignSeriesQuery,
    shared: true,
    answers: { 200: campaignSeriesAnswer },
    errors: ['campaign-unknown'],
    handle: ({ params, query }, { app }) => showCampaignSeries(app, params.id, query),
  }),
  get('/api/series', 'getSeries', {
    role: 'read',
    summary: 'Lists what all campaigns together did, by hour or by day.',
    more: 'Counted as the series of one campaign. At most 1,500 steps.',
    query: allSeriesQuery,
    shared: true,
    answers: { 200: allSeriesAnswer },
    handle: ({ query }, { app }) => showAllSeries(app, query),
  }),
];
