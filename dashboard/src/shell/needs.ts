import { createContext, useContext } from 'react';
import type { Alert, CampaignItem, Key, Standstill } from '../api/description.ts';
import { useAsk } from '../data/queries.ts';
import { useLive } from '../data/use-live.ts';
import { timeText } from '../kit/time.tsx';
import { endsByTime } from '../kit/waits.ts';
import { count, counted, sentenceOf } from '../kit/words.ts';
import { useActiveCampaigns } from './campaigns.ts';
import { inProgress, useLiveCalls } from './live-calls.ts';
import { useMe } from './me.ts';

/** Dialogs that settle a need where it stands. */
export type Opens = 'resume-all' | 'confirm-history';
export const leastRole = { 'resume-all': 'operate', 'confirm-history': 'admin' } as const;

/** Everything that needs a person, gravest first: the same for the overview, the navigation and the tab's title. */
export type Need = {
  id: string;
  tone: 'bad' | 'odd' | 'warn';
  what: string;
  /** The consequence, and what Carillon does by itself; commands stand between backticks. */
  text: string;
  /** When Carillon asks the service next. */
  asks?: string | null;
  since?: string;
  /** A page to open, or a dialog of its own. */
  act?: { to: string; words: string } | { opens: Opens; words: string };
  icon?: 'scales' | 'pause';
  /** Nobody is called at all. */
  all?: boolean;
};

export type Needs = ReturnType<typeof useReadNeeds>;
export type Counts = Needs['counts'];

const beatMs = 15_000;
/** Told by the keys, the unknown calls and the campaigns themselves. */
const ofOthers: ReadonlySet<Alert['code']> = new Set([
  'key-denied',
  'key-out-of-credit',
  'key-failing',
  'unknown-rising',
  'campaign-stands',
]);
/** Problems of processes and machines: Health tells more of them. */
export const ofHealth: ReadonlySet<Alert['code']> = new Set([
  'loop-stuck',
  'row-aside',
  'clock-off',
  'policy-differs',
  'keys-differ',
  'secret-differs',
  'history-lost',
  'disk-filling',
]);
export const openHealth = { to: '/health', words: 'Open Health' };

/** The shell reads them once, for itself and for every page. */
export const KnownNeeds = createContext<Needs | null>(null);
export const useNeeds = (): Needs => useContext(KnownNeeds)!;

export function useReadNeeds() {
  const enabled = useMe().data !== undefined;
  const alerts = useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'], enabled });
  const keys = useLive('GET /api/keys', {}, { everyMs: beatMs, on: ['key.'], enabled });
  const unknown = useLive(
    'GET /api/unknown',
    { query: { limit: 1, counts: '1' } },
    { everyMs: 20_000, on: ['attempt.unknown'], enabled },
  );
  const active = useActiveCampaigns(beatMs, enabled).data?.items;
  const campaigns = active ?? [];
  const running = campaigns.filter(({ kind, state }) => kind === 'list' && state === 'running').length;
  const policy = useAsk('GET /api/policy', {}, { enabled: enabled && running > 0, everyMs: 60_000 }).data;
  // Rules that were switched off are a decision: nobody is asked for it again.
  const noRules = running > 0 && policy?.version === null;
  const live = useLiveCalls({}, beatMs, enabled).data;
  const raised = alerts.data?.items ?? [];
  const present = keys.data?.items.filter((key) => key.present) ?? [];
  const closed = present.filter(({ state }) => state !== 'open');
  const doubts = unknown.data?.campaigns ?? [];
  const placed = doubts.reduce((sum, each) => sum + each.placed, 0);
  const rising = raised.find(({ code }) => code === 'unknown-rising');
  const unknowns = doubts.reduce((sum, each) => sum + each.unknown, 0);

  const items: Need[] = [
    ...raised.filter(({ code }) => !ofOthers.has(code)).map(needOfAlert),
    ...needsOfKeys(present, closed, campaigns),
    ...(unknowns > 0 ? [needOfUnknown(unknowns, placed, unknown.data?.items[0]?.dialing_at, rising)] : []),
    ...[...needOfStop(campaigns), ...campaigns.flatMap((each) => needOfCampaign(each) ?? [])].map(paused),
  ];
  items.sort((a, b) => graveness(a) - graveness(b));
  if (noRules) items.push(needOfRules(campaigns));
  return {
    items,
    isKnown: Boolean(alerts.data && keys.data && unknown.data && active && (running === 0 || policy)),
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

const paused = (need: Need): Need => ({ ...need, icon: 'pause' });

/** A ledger that lost its history, and keys that are all closed, come before everything else. */
const graveness = ({ all, tone }: Need) => (all ? 0 : 1 + ['bad', 'odd', 'warn'].indexOf(tone));

function needOfAlert({ code, subject, severity, title, message, remedy, since }: Alert): Need {
  const act = places[code]?.(subject) ?? (ofHealth.has(code) ? openHealth : null);
  const follows = consequences[code];
  // What the title says is not said again.
  const [head, ...rest] = message.split(': ');
  const why = (follows !== undefined && rest.join(': ')) || message;
  return {
    id: `${code} ${subject}`,
    tone: severity === 'critical' ? 'bad' : 'warn',
    what: code === 'webhook-down' ? `The webhook ${head}.` : `${title}.`,
    text: `${sentenceOf(why)} ${follows ?? remedy}`,
    since,
    all: code === 'history-lost',
    ...(act ? { act } : {}),
  };
}

/** What follows, where the page's own button replaces the commands of the remedy. */
export const consequences: Partial<Record<Alert['code'], string>> = {
  'webhook-down': 'Its events wait, and are delivered when it answers.',
  'alerts-unsent': 'Nobody hears of trouble there until a message arrives.',
  'budget-near': 'When it is spent, people wait until it is raised.',
  'unknown-rising': 'Their campaigns call these people no more until you say what happened.',
};

/** Where the page can settle it; an alert without a place is settled elsewhere. */
export const places: Partial<Record<Alert['code'], (subject: string) => NonNullable<Need['act']>>> = {
  'history-lost': () => ({ opens: 'confirm-history', words: 'Confirm the history' }),
  'policy-differs': () => ({ to: '/policy', words: 'See the rules in force' }),
  'webhook-down': (id) => ({ to: `/webhooks/${encodeURIComponent(id)}`, words: 'Open the webhook' }),
  'alerts-unsent': () => ({ to: '/alerts', words: 'Open Alerts' }),
  'import-failed': (id) => ({ to: `/imports/${encodeURIComponent(id)}`, words: 'Open the import' }),
  // The day and the month are of all campaigns.
  'budget-near': (of) =>
    of === 'day' || of === 'month'
      ? { to: '/settings', words: 'See the settings' }
      : { to: `/campaigns/${encodeURIComponent(of)}?tab=order`, words: 'Raise the budget' },
  'number-resting': () => ({ to: '/numbers', words: 'See the numbers' }),
};

function needsOfKeys(
  present: readonly Key[],
  closed: readonly Key[],
  campaigns: readonly CampaignItem[],
): Need[] {
  if (closed.length < 2 || closed.length < present.length)
    return closed.map((key) => needOfKey(key, present.length === 1));
  const waiting = campaigns.reduce((sum, { balance }) => sum + balance.waiting + balance.parked, 0);
  const probes = closed.flatMap(({ probe_at: at }) => (at ? [Date.parse(at)] : []));
  const reasons = closed.map(({ name, state }) => `${name} ${stateWords[state as ClosedState]}`).join('; ');
  return [
    {
      id: 'every key',
      tone: 'bad',
      what: 'No key is open. Nobody is called.',
      text: `${reasons}. ${counted(waiting, 'person waits', 'people wait')}; no attempt is lost.`,
      asks: probes.length > 0 ? new Date(Math.min(...probes)).toISOString() : null,
      since: closed.map(({ since }) => since).sort()[0]!,
      act: { to: '/keys', words: 'Open the keys' },
      all: true,
    },
  ];
}

type ClosedState = Exclude<Key['state'], 'open'>;
const stateWords: Record<ClosedState, string> = {
  out_of_credit: 'has no credit',
  denied: 'is not accepted by the service',
  failing: 'is answered with failures',
};

export function needOfKey(key: Key, isOnly: boolean): Need {
  const { name, since, parked, probe_at: asks } = key;
  const state = key.state as ClosedState;
  const texts: Record<ClosedState, string> = {
    out_of_credit: `${counted(parked, 'person is', 'people are')} parked. Carillon continues by itself when there is credit.`,
    denied: 'Correct it in VOICE_API_KEYS or at the service, then try again.',
    failing: 'Carillon continues by itself when the service answers.',
  };
  return {
    id: `key ${name}`,
    tone: 'bad',
    what: `The key ${name} ${stateWords[state]}.${isOnly ? ' Nobody is called.' : ''}`,
    text: texts[state],
    asks,
    since,
    all: isOnly,
    act: { to: `/keys/${encodeURIComponent(name)}`, words: 'Open the key' },
  };
}

/** `placed` of them surely exist: only their end is missing. */
function needOfUnknown(unknowns: number, placed: number, oldest?: string, rising?: Alert): Need {
  const asked = unknowns - placed;
  const ends = `${counted(placed, 'call was', 'calls were')} placed, and nobody told ${placed === 1 ? 'its end' : 'their ends'}.`;
  const what = `${counted(asked, 'call')} may have been placed.`;
  const whose =
    unknowns === 1 ? 'The campaign does not call this person' : 'Their campaigns do not call these people';
  return {
    id: 'unknown',
    tone: 'odd',
    what: asked === 0 ? ends : placed === 0 ? what : `${what} ${ends}`,
    text: `${rising ? `Rising since ${timeText(rising.since)}: ${rising.message}. ` : ''}${whose} again until you say what happened.`,
    ...(oldest === undefined ? {} : { since: oldest }),
    act: { to: '/unknown', words: `Settle ${counted(unknowns, 'call')}` },
  };
}

/** The mildest: calls are made by the hours of their campaigns alone. */
function needOfRules(campaigns: readonly CampaignItem[]): Need {
  const atNight = campaigns.filter(
    (each) => each.kind === 'list' && each.state === 'running' && !each.window,
  );
  const [first, ...more] = atNight.map(({ name }) => name);
  return {
    id: 'no rules',
    tone: 'warn',
    what: 'No contact rules are in force.',
    text: first
      ? `${first} ${more.length > 0 ? `and ${counted(more.length, 'other')} have` : 'has'} no hours: people are called at night too.`
      : 'Only the hours of each campaign keep people from being called at night.',
    icon: 'scales',
    act: { to: '/policy', words: 'Choose the rules' },
  };
}

/** The reason of a campaign that the stop button paused. */
export const byStop = 'paused by hand: everything was stopped';

/** After a stop of everything: one line for all that it stopped. */
function needOfStop(campaigns: readonly CampaignItem[]): Need[] {
  const stopped = campaigns.filter(({ state, reason }) => state === 'paused' && reason === byStop);
  if (stopped.length === 0) return [];
  const waiting = stopped.reduce((sum, { balance }) => sum + balance.waiting + balance.parked, 0);
  return [
    {
      id: 'stopped',
      tone: 'warn',
      what: `Everything was stopped: ${counted(stopped.length, 'campaign is', 'campaigns are')} paused.`,
      text: `${counted(waiting, 'person waits', 'people wait')}. Nobody of them is called until you resume.`,
      since: stopped.map(({ since }) => since).sort()[0]!,
      act: { opens: 'resume-all', words: 'Resume all' },
    },
  ];
}

/** Why a campaign is paused, without the codes that stand before the words. */
export function pauseWords(reason: string): string {
  if (reason === 'first') return 'until you have heard its first calls';
  if (reason === 'history-lost') return 'the ledger lost its history';
  return reason.replace(/^stop-at: /, '').replace(byStop, 'everything was stopped');
}

/** The first people's calls that nobody judged yet, of a campaign that waits for it. */
export const toJudge = ({ state, reason, first_judged: judged }: CampaignItem): number =>
  state === 'paused' && reason === 'first' ? judged.left : 0;

/** It stands still, or people of it do, until a person acts. */
export const waitsForPerson = (campaign: CampaignItem) =>
  needOfCampaign(campaign) !== null || campaign.balance.unknown + campaign.balance.parked > 0;

/** Keys, unknown calls and lost history have lines of their own. */
const elsewhere = /^(?:paused|refused|no-credit|unknown|history-lost)$/;
function actOf({ id, balance: { unknown } }: CampaignItem, cause: Standstill['cause']): Need['act'] {
  if (cause === 'first') return { to: `/listen?campaign=${id}`, words: 'Listen back' };
  if (cause === 'number') return { to: '/numbers', words: 'See the numbers' };
  if (cause === 'no-worker' || cause === 'rate') return openHealth;
  if (unknown > 0 && (cause === 'budget' || cause === 'phone-in-use'))
    return { to: `/unknown?campaign=${id}`, words: `Settle ${counted(unknown, 'unknown call')}` };
  const order = { to: `/campaigns/${id}?tab=order`, words: 'Open its settings' };
  if (cause === 'budget' || cause === 'calls') return order;
  return { to: `/campaigns/${id}`, words: 'Open the campaign' };
}

function needOfCampaign(campaign: CampaignItem): Need | null {
  const { id, name, standstill } = campaign;
  if (!standstill || elsewhere.test(standstill.cause) || endsByTime.test(standstill.cause)) return null;
  const { cause, message, since, act: remedy } = standstill;
  let [what, text] = [`${name} calls nobody.`, `${sentenceOf(message)} ${remedy}`];
  if (cause === 'first') {
    what = `${name} waits until you have heard its first calls.`;
    text = `${counted(toJudge(campaign), 'call')} to judge, then resume it for the ${count(campaign.balance.waiting)} who wait.`;
  }
  return { id, tone: 'warn', what, text, since, act: actOf(campaign, cause)! };
}
