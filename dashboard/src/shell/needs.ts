import { createContext, useContext } from 'react';
import type { Alert, CampaignItem, Standstill } from '../api/ask.ts';
import { useAsk, useLive } from '../data/queries.ts';
import { count, counted, groupsOf, sentenceOf, timeText } from '../kit/words.ts';
import {
  asPage,
  byStop,
  type Need,
  needOfAlert,
  needOfRules,
  needOfStop,
  needsOfKeys,
  nobodyText,
  ofHealth,
  ofOthers,
  openHealth,
  places,
  waitingIn,
  waitingText,
} from './need.ts';
import { inProgress, useActiveCampaigns, useLiveCalls, useMay, useMe } from './reads.ts';

/** Everything that needs a person, gravest first: the same for the overview, the navigation and the tab's title. */
export type Needs = ReturnType<typeof useReadNeeds>;
export type Counts = Needs['counts'];

const beatMs = 15_000;
/** The shell reads them once, for itself and for every page. */
export const KnownNeeds = createContext<Needs | null>(null);
export const useNeeds = (): Needs => useContext(KnownNeeds)!;

export function useReadNeeds() {
  const enabled = useMe().data !== undefined;
  const alerts = useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'], enabled });
  const keys = useLive('GET /api/keys', {}, { everyMs: beatMs, on: ['key.'], enabled });
  const unknown = useLive(
    'GET /api/unknown',
    { limit: 1, counts: '1' },
    { everyMs: 20_000, on: ['attempt.unknown'], enabled },
  );
  const active = useActiveCampaigns(beatMs, enabled).data?.items;
  const campaigns = active ?? [];
  const running = campaigns.filter(({ kind, state }) => kind === 'list' && state === 'running').length;
  const stopped = campaigns.filter(({ state, reason }) => state === 'paused' && reason === byStop);
  // Those that were stopped would call by the same rules when they are resumed.
  const mayCall = running + stopped.length > 0;
  const policy = useAsk('GET /api/policy', {}, { enabled: enabled && mayCall, everyMs: 60_000 }).data;
  // Rules that were switched off are a decision: nobody is asked for it again.
  const noRules = mayCall && policy?.version === null;
  const pauses = useAsk(
    'GET /api/activity',
    { verb: 'campaign.pause', limit: 20 },
    { enabled: useMay('operate') && stopped.length > 0 },
  ).data?.items;
  const live = useLiveCalls({}, beatMs, enabled).data;
  const raised = alerts.data?.items ?? [];
  const present = keys.data?.items.filter((key) => key.present) ?? [];
  const closed = present.filter(({ state }) => state !== 'open');
  const doubts = unknown.data?.campaigns ?? [];
  const placed = doubts.reduce((sum, each) => sum + each.placed, 0);
  const rising = raised.find(({ code }) => code === 'unknown-rising');
  const unknowns = doubts.reduce((sum, each) => sum + each.unknown, 0);

  const causes = needsOfCauses(raised, campaigns);
  // What unknown calls hold is told with them.
  const isHeld = ({ act }: Need) =>
    unknowns > 0 && act !== undefined && 'to' in act && act.to.startsWith('/unknown');
  const items: Need[] = [
    ...causes.filter((need) => !isHeld(need)),
    ...needsOfKeys(present, closed, campaigns),
    ...(unknowns > 0
      ? [needOfUnknown(unknowns, placed, unknown.data?.items[0]?.dialing_at, rising, causes.filter(isHeld))]
      : []),
    ...needOfStop(
      stopped,
      running === 0,
      pauses?.find(({ after }) => after?.reason === byStop),
    ),
  ];
  items.sort((a, b) => graveness(a) - graveness(b));
  if (noRules) items.push(needOfRules(campaigns));
  return {
    items,
    isKnown: Boolean(alerts.data && keys.data && unknown.data && active && (!mayCall || policy)),
    counts: {
      calling: live ? inProgress(live) : 0,
      running,
      toJudge: campaigns.reduce((sum, each) => sum + toJudge(each), 0),
      unknown: unknowns,
      closedKeys: closed.length,
      noRules: noRules ? 1 : 0,
      downWebhooks: raised.filter(({ code }) => code === 'webhook-down').length,
      unsentAlerts: raised.filter(({ code }) => code === 'alerts-unsent').length,
      ill: raised.filter(({ code }) => ofHealth.has(code)).length,
    },
  };
}

/** What was stopped comes first, then a ledger that lost its history, and keys that are all closed. */
const graveness = ({ id, all, tone }: Need) =>
  id === 'stopped' ? 0 : all ? 1 : 2 + ['bad', 'odd', 'warn'].indexOf(tone);

/** `placed` of them surely exist: only their end is missing. */
function needOfUnknown(
  unknowns: number,
  placed: number,
  oldest: string | undefined,
  rising: Alert | undefined,
  held: readonly Need[],
): Need {
  const asked = unknowns - placed;
  const ends = `${counted(placed, 'call was', 'calls were')} placed, and nobody told ${placed === 1 ? 'its end' : 'their ends'}.`;
  const what = `${counted(asked, 'call')} may have been placed.`;
  const whose =
    unknowns === 1 ? 'The campaign does not call this person' : 'Their campaigns do not call these people';
  return {
    id: 'unknown',
    tone: 'odd',
    what: [placed < unknowns && what, placed > 0 && ends, ...held.map((each) => each.what)]
      .filter(Boolean)
      .join(' '),
    text: [
      ...new Set(held.map(({ text }) => text)),
      rising && `Calls have become unknown since ${timeText(rising.since)}.`,
      `${whose} again until you say what happened.`,
    ]
      .filter(Boolean)
      .join(' '),
    ...(oldest === undefined ? {} : { since: oldest }),
    act: { to: '/unknown', words: `Settle ${counted(unknowns, 'call')}` },
    of: held.flatMap(({ of = [] }) => of),
  };
}

/** The first people's calls that nobody judged yet, of a campaign that waits for it. */
export const toJudge = ({ state, reason, first_judged: judged }: CampaignItem): number =>
  state === 'paused' && reason === 'first' ? judged.left : 0;

/** It stands still, or people of it do, until a person acts. */
export const waitsForPerson = (campaign: CampaignItem) =>
  needOfCampaign(campaign) !== null || campaign.balance.unknown + campaign.balance.parked > 0;

/** Keys and lost history have lines of their own. */
const elsewhere = /^(?:paused|refused|no-credit|history-lost)$/;
export function actOf(
  { id, balance: { unknown } }: Pick<CampaignItem, 'id' | 'balance'>,
  cause: Standstill['cause'],
): NonNullable<Need['act']> | null {
  if (cause === 'paused' || cause === 'no-run') return null;
  if (cause === 'refused' || cause === 'no-credit') return { to: '/keys', words: 'Open the keys' };
  if (cause === 'history-lost') return places['history-lost']!('');
  if (cause === 'first') return { to: `/listen?campaign=${id}`, words: 'Listen back' };
  if (cause === 'number') return { to: '/numbers', words: 'See the numbers' };
  if (cause === 'no-worker' || cause === 'rate') return openHealth;
  if (cause === 'unknown' || (unknown > 0 && (cause === 'budget' || cause === 'phone-in-use')))
    return { to: `/unknown?campaign=${id}`, words: `Settle ${counted(unknown, 'call')}` };
  const order = `/campaigns/${id}?tab=order`;
  if (cause === 'budget') return { to: order, words: 'Raise the budget' };
  if (cause === 'calls') return { to: order, words: 'Open its settings' };
  if (cause === 'order') return { to: order, words: 'Correct its settings' };
  return cause === 'stop-at' ? { to: `/campaigns/${id}?tab=results`, words: 'See how calls ended' } : null;
}

function needOfCampaign(campaign: CampaignItem): Need | null {
  const { id, name, standstill } = campaign;
  if (!standstill || elsewhere.test(standstill.cause) || standstill.ends === 'time') return null;
  const { cause, message, since, act: remedy } = standstill;
  let [what, text] = [`${name} calls nobody.`, `${sentenceOf(message)} ${asPage(remedy)}`];
  if (cause === 'first') {
    what = `${name} waits until you have heard its first calls.`;
    text = `${counted(toJudge(campaign), 'call')} to judge, then resume it for the ${count(campaign.balance.waiting)} who wait.`;
  }
  if (cause === 'unknown') text = 'Nobody else is left to call.';
  const act = actOf(campaign, cause) ?? { to: `/campaigns/${id}`, words: 'Open the campaign' };
  return { id, tone: 'warn', what, text, since, act, of: [id] };
}

/** What keeps one campaign from calling, as the overview tells it; else what keeps all from it, or what its list lacks. */
export const needOf = (items: readonly Need[], { id, state, standstill }: CampaignItem) =>
  items.find(({ of = [] }) => standstill && of.includes(id)) ??
  items.find(
    (need) =>
      (state === 'running' || standstill?.cause === 'history-lost') && need.all && need.tone === 'bad',
  ) ??
  items.find((need) => need.id === `list-rejected ${id}`);

/** What tells that everything is stopped. */
export const stopOf = (items: readonly Need[]) => items.find(({ id, all }) => id === 'stopped' && all);

/** What keeps people from being called; of everything that was stopped, the banner tells on every page. */
export const haltsOf = (items: readonly Need[]) =>
  items.filter(
    ({ id, all, of = [] }) => id !== 'stopped' && (all || of.length > 0 || id.startsWith('list-rejected ')),
  );

/** Campaigns that stand still for one cause: a line. */
type Standing = { campaigns: CampaignItem[] } & Pick<Standstill, 'cause' | 'message' | 'budget'>;

/** The day's or the month's. */
const isOfAll = (budget: Standstill['budget']) => budget !== null && budget !== 'campaign';
const isShared = ({ cause, budget }: Standstill) =>
  /^(?:no-worker|rate|calls|number)$/.test(cause) || isOfAll(budget);

function standingOf(campaigns: readonly CampaignItem[]): Standing[] {
  const still = campaigns.filter((each) => needOfCampaign(each) !== null);
  const groups = groupsOf(still, ({ id, standstill }) => (isShared(standstill!) ? standstill!.message : id));
  return [...groups.values()].map((those) => ({ campaigns: those, ...those[0]!.standstill! }));
}

function needOfStanding({ campaigns, cause, message, budget }: Standing): Need {
  const [need, ...others] = campaigns.map((each) => needOfCampaign(each)!);
  const ofMany = { what: `${namesOf(campaigns)} call nobody.`, text: plural(need!.text) };
  const remedy = campaigns[0]!.standstill!.act;
  // Whatever the campaign, nobody is dialled.
  const ofAll = {
    id: 'no-worker',
    tone: 'bad',
    all: true,
    what: `${nobodyText(campaigns)}: ${message}.`,
    text: `${waitingText(waitingIn(campaigns))} ${remedy}`,
  } as const;
  return {
    ...need!,
    ...(cause !== 'no-worker' && { icon: 'pause' }),
    of: campaigns.map(({ id }) => id),
    ...(others.length > 0 && ofMany),
    ...(cause === 'no-worker' && ofAll),
    since: [need!, ...others].map(({ since }) => since!).sort()[0]!,
    ...(isOfAll(budget) &&
      !need!.act?.words.startsWith('Settle') && { act: places['budget-near']!(budget!) }),
  };
}

const plural = (text: string) =>
  text
    .replace(/\bits\b/g, 'their')
    .replace(/\bIts\b/g, 'Their')
    .replace(/\bGive it\b/g, 'Give them');

function namesOf(campaigns: readonly CampaignItem[]): string {
  const [first, second, ...more] = campaigns.map(({ name }) => name);
  if (!second) return first!;
  return more.length === 0
    ? `${first} and ${second}`
    : `${first}, ${second} and ${counted(more.length, 'other')}`;
}

/** An alert about a process also explains the campaigns that this process does not dial. */
const causeOf = ({ cause, message }: Standing, raised: readonly Alert[]): Alert | undefined =>
  cause === 'no-worker'
    ? raised.find(({ code, subject }) => ofHealth.has(code) && subject !== '' && message.includes(subject))
    : undefined;

/**
 * Alerts, and campaigns that stand still, a line for each cause: an alert that only says why some of them do is not told
 * beside them, and what ails a process says which it does not dial.
 */
export function needsOfCauses(raised: readonly Alert[], campaigns: readonly CampaignItem[]): Need[] {
  const standing = standingOf(campaigns);
  const spent = standing
    .filter(({ cause }) => cause === 'budget')
    .map(({ campaigns: [first], budget }) => (isOfAll(budget) ? budget! : first!.id));
  const told = raised.filter(
    ({ code, subject }) => !ofOthers.has(code) && !(code === 'budget-near' && spent.includes(subject)),
  );
  const lines = told.map((alert) => {
    const need = needOfAlert(alert);
    const those = standing.filter((each) => causeOf(each, told) === alert).flatMap((each) => each.campaigns);
    const what = `${need.what} ${namesOf(those)} ${those.length === 1 ? 'calls' : 'call'} nobody.`;
    return those.length === 0 ? need : { ...need, what, all: true, of: those.map(({ id }) => id) };
  });
  return [...lines, ...standing.filter((each) => !causeOf(each, told)).map(needOfStanding)];
}
