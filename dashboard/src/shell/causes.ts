import type { Alert, CampaignItem, Key, Standstill } from '../api/description.ts';
import { counted, type WaitReason } from '../kit/words.ts';

/** What keeps calls from being made, and what is watched: a row for each cause. Whatever the page says of one, and where, is read from here. */

/** Dialogs that settle something where it stands, and who may open them. */
export const leastRole = { 'resume-all': 'operate', 'confirm-history': 'admin' } as const;
export type Opens = keyof typeof leastRole;
/** The one act that settles something: a page to open, or a dialog. */
export type Act = { to: string; words: string } | { opens: Opens; words: string };

export const resumeAll: Act = { opens: 'resume-all', words: 'Resume all' };
export const openHealth = { to: '/health', words: 'Open Health' };
const openKeys: Act = { to: '/keys', words: 'Open the keys' };
const openKey = (name: string): Act => ({ to: `/keys/${encodeURIComponent(name)}`, words: 'Open the key' });
const seeNumbers = (): Act => ({ to: '/numbers', words: 'See the numbers' });
const confirmHistory = (): Act => ({ opens: 'confirm-history', words: 'Confirm the history' });
const inCampaign = (tab: 'order' | 'results', words: string) => (id: string) => ({
  to: `/campaigns/${encodeURIComponent(id)}?tab=${tab}`,
  words,
});

type Still = Pick<CampaignItem, 'id' | 'balance' | 'standstill' | 'first_judged'>;
type CauseRow = {
  /** The event that ends a person's wait, which follows on it. */
  ends?: string;
  /** Nobody at all can be called. */
  isGrave?: true;
  /** What it says is told by the line of a key, of the ledger, or of a stop. */
  isElsewhere?: true;
  /** Campaigns that say the same have one line. */
  isShared?: true;
  act?(campaign: Still): Act | null;
};

const settle = ({ id, balance: { unknown } }: Still): Act | null =>
  unknown > 0 ? { to: `/unknown?campaign=${id}`, words: `Settle ${counted(unknown, 'call')}` } : null;
const inOrder = (words: string) => (campaign: Still) => inCampaign('order', words)(campaign.id);

/** Whose budget is spent: `day` and `month` are of all campaigns. */
export const spentOf = ({ id, standstill }: Pick<Still, 'id' | 'standstill'>) =>
  standstill?.budget && standstill.budget !== 'campaign' ? standstill.budget : id;

/** Why a campaign, or one of its people, waits. */
export const causes: Record<WaitReason | Standstill['cause'], CauseRow> = {
  draft: { ends: 'when it is started' },
  canceled: { ends: 'for good' },
  never: { ends: 'for good' },
  paused: { ends: 'when it is resumed', isElsewhere: true },
  first: {
    act: ({ id, first_judged: { left } }) =>
      left > 0 ? { to: `/listen?campaign=${id}`, words: 'Listen back' } : null,
  },
  'stop-at': { act: ({ id }) => inCampaign('results', 'See how calls ended')(id) },
  order: { act: inOrder('Correct its settings') },
  'history-lost': { isGrave: true, isElsewhere: true, act: confirmHistory },
  'no-run': { ends: 'when a run drives it' },
  'no-worker': { isGrave: true, isShared: true, act: () => openHealth },
  budget: {
    ends: 'when the budget is raised',
    act: (campaign) => settle(campaign) ?? alerts['budget-near'].act!(spentOf(campaign)),
  },
  refused: { ends: 'when the service answers', isGrave: true, isElsewhere: true, act: () => openKeys },
  'no-credit': { ends: 'when there is credit', isGrave: true, isElsewhere: true, act: () => openKeys },
  number: { ends: 'as calls end', isShared: true, act: seeNumbers },
  'phone-in-use': { ends: 'when that call ends', act: settle },
  calls: { ends: 'as calls end', isShared: true, act: inOrder('Open its settings') },
  rate: { isShared: true, act: () => openHealth },
  unknown: { act: settle },
  start: {},
  window: {},
  date: {},
  'legal-hours': {},
  cap: {},
  gap: {},
  conversation: {},
  retry: {},
  callback: {},
};

/** What settles the cause for which a campaign stands still. */
export const actOfStill = (campaign: Still): Act | null =>
  (campaign.standstill && causes[campaign.standstill.cause].act?.(campaign)) || null;

type AlertRow = {
  /** The line of a key, of the unknown calls or of a campaign tells it. */
  isElsewhere?: true;
  /** It is about a process or a machine: Health tells more. */
  ofHealth?: true;
  /** Where the page settles it; an alert without one is settled elsewhere. */
  act?(subject: string): Act;
  /** Whose it is, where its title does not say so. */
  what?(head: string): string;
  /** What follows, where the page's own button replaces the commands of the remedy. */
  follows?: string;
};

const ofKey = { isElsewhere: true, act: openKey } as const;
const ofHealth = { ofHealth: true, act: () => openHealth } as const;
/** What is watched. */
export const alerts: Record<Alert['code'], AlertRow> = {
  'key-denied': ofKey,
  'key-out-of-credit': ofKey,
  'key-failing': ofKey,
  'unknown-rising': {
    isElsewhere: true,
    act: () => ({ to: '/unknown', words: 'Settle the calls' }),
    follows: 'Their campaigns call these people no more until you say what happened.',
  },
  'campaign-stands': { isElsewhere: true },
  'loop-stuck': ofHealth,
  'row-aside': ofHealth,
  'clock-off': ofHealth,
  'keys-differ': ofHealth,
  'secret-differs': ofHealth,
  'disk-filling': ofHealth,
  'history-lost': { ofHealth: true, act: confirmHistory },
  'policy-differs': { ofHealth: true, act: () => ({ to: '/policy', words: 'See the rules in force' }) },
  'webhook-down': {
    act: (id) => ({ to: `/webhooks/${encodeURIComponent(id)}`, words: 'Open the webhook' }),
    what: (head) => `The webhook ${head}.`,
    follows: 'Its events wait, and are delivered when it answers.',
  },
  'alerts-unsent': {
    act: () => ({ to: '/alerts', words: 'Open Alerts' }),
    follows: 'Nobody hears of trouble there until a message arrives.',
  },
  'import-failed': {
    act: (id) => ({ to: `/imports/${encodeURIComponent(id)}`, words: 'Open the import' }),
  },
  'list-rejected': {
    act: inCampaign('results', 'See the rows'),
    what: (head) => `${head}.`,
    follows: 'Correct what this names, such as the country, and add these rows again.',
  },
  'bulk-failed': {},
  'budget-near': {
    act: (of) =>
      of === 'day' || of === 'month'
        ? { to: '/settings', words: 'See the settings' }
        : inCampaign('order', 'Raise the budget')(of),
    follows: 'When it is spent, people wait until it is raised.',
  },
  'campaign-ends': {
    act: inCampaign('order', 'Change its hours'),
    what: (name) => `${name} ends before everyone is called.`,
    follows: 'Let it end later, widen its hours or allow more calls at once.',
  },
  'number-resting': { act: seeNumbers },
};

type ClosedState = Exclude<Key['state'], 'open'>;
/** Why a key makes no calls, and what opens it again. */
export const closedKeys: Record<ClosedState, { is(key: string): string; follows: string }> = {
  out_of_credit: {
    is: (key) => `${key} has no credit`,
    follows: 'Carillon continues by itself when there is credit.',
  },
  denied: {
    is: (key) => `the service does not accept ${key}`,
    follows: 'Correct it in VOICE_API_KEYS or at the service, then try again.',
  },
  failing: {
    is: (key) => `the service fails on ${key}`,
    follows: 'Carillon continues by itself when the service answers.',
  },
};
