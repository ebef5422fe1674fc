import type { Activity, Alert, CampaignItem, Key } from '../api/ask.ts';
import { counted, sentenceOf, whoText } from '../kit/words.ts';

/** Dialogs that settle a need where it stands. */
export type Opens = 'resume-all' | 'confirm-history';
export const leastRole = { 'resume-all': 'operate', 'confirm-history': 'admin' } as const;

/** One thing that needs a person. */
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
  /** The campaigns that stand still for it. */
  of?: readonly string[];
};

/** A remedy without the commands for which the page has a button. */
export const asPage = (remedy: string) =>
  remedy.replace(/ \(`[^)]*`\)/g, '').replace(/: `carillon [^`]*`(?=[.;])/g, '');

export const openHealth = { to: '/health', words: 'Open Health' };

/** Alerts that have no line here: the keys, the unknown calls and the campaigns have lines of their own. */
export const ofOthers: ReadonlySet<Alert['code']> = new Set([
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

export function needOfAlert({ code, subject, severity, title, message, remedy, since }: Alert): Need {
  const act = actOfAlert(code, subject);
  const follows = consequences[code];
  // What the title says is not said again.
  const [head, ...rest] = message.split(': ');
  const why = (follows !== undefined && rest.join(': ')) || message;
  return {
    id: `${code} ${subject}`,
    tone: severity === 'critical' ? 'bad' : 'warn',
    what: subjects[code]?.(head!) ?? `${title}.`,
    text: `${sentenceOf(why)} ${follows ?? asPage(remedy)}`,
    since,
    all: code === 'history-lost',
    ...(act ? { act } : {}),
  };
}

/** Where the page settles it. */
export function actOfAlert(code: Alert['code'], subject: string): Need['act'] | null {
  if (code === 'unknown-rising') return { to: '/unknown', words: 'Settle the calls' };
  if (code.startsWith('key-')) return { to: `/keys/${encodeURIComponent(subject)}`, words: 'Open the key' };
  return places[code]?.(subject) ?? (ofHealth.has(code) ? openHealth : null);
}

/** Where the title does not say whose it is. */
const subjects: Partial<Record<Alert['code'], (head: string) => string>> = {
  'webhook-down': (head) => `The webhook ${head}.`,
  'campaign-ends': (name) => `${name} ends before everyone is called.`,
  'list-rejected': (head) => `${head}.`,
};

/** What follows, where the page's own button replaces the commands of the remedy. */
const consequences: Partial<Record<Alert['code'], string>> = {
  'webhook-down': 'Its events wait, and are delivered when it answers.',
  'alerts-unsent': 'Nobody hears of trouble there until a message arrives.',
  'list-rejected': 'Correct what this names, such as the country, and add these rows again.',
  'campaign-ends': 'Let it end later, widen its hours or allow more calls at once.',
  'budget-near': 'When it is spent, people wait until it is raised.',
  'unknown-rising': 'Their campaigns call these people no more until you say what happened.',
};

const inCampaign = (tab: 'order' | 'results', words: string) => (id: string) => ({
  to: `/campaigns/${encodeURIComponent(id)}?tab=${tab}`,
  words,
});

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
      : inCampaign('order', 'Raise the budget')(of),
  'campaign-ends': inCampaign('order', 'Change its hours'),
  'list-rejected': inCampaign('results', 'See the rows'),
  'number-resting': () => ({ to: '/numbers', words: 'See the numbers' }),
};

/** The closed keys among what needs a person. */
export function needsOfKeys(
  present: readonly Key[],
  closed: readonly Key[],
  campaigns: readonly CampaignItem[],
): Need[] {
  const waiting = waitingIn(campaigns);
  const of = campaigns.flatMap(({ id, standstill: still }) =>
    still?.cause === 'refused' || still?.cause === 'no-credit' ? id : [],
  );
  if (closed.length < 2 || closed.length < present.length)
    return closed.map((key) => ({ ...needOfKey(key, present.length === 1 ? campaigns : null), of }));
  const probes = closed.flatMap(({ probe_at: at }) => (at ? [Date.parse(at)] : []));
  const reasons = closed.map(({ name, state }) => stateWords[state as ClosedState](name)).join('; ');
  return [
    {
      id: 'every key',
      tone: 'bad',
      what: `No key is open. ${nobodyText(campaigns)}.`,
      text: `${sentenceOf(reasons)} ${waitingText(waiting)}`,
      asks: probes.length > 0 ? new Date(Math.min(...probes)).toISOString() : null,
      since: closed.map(({ since }) => since).sort()[0]!,
      act: { to: '/keys', words: 'Open the keys' },
      all: true,
      of,
    },
  ];
}

type ClosedState = Exclude<Key['state'], 'open'>;
const stateWords: Record<ClosedState, (key: string) => string> = {
  out_of_credit: (key) => `${key} has no credit`,
  denied: (key) => `the service does not accept ${key}`,
  failing: (key) => `the service fails on ${key}`,
};

export const waitingIn = (campaigns: readonly CampaignItem[]) =>
  campaigns.reduce((sum, { balance: { waiting, queued, parked } }) => sum + waiting + queued + parked, 0);
export const waitingText = (people: number) =>
  `${counted(people, 'person waits', 'people wait')}; no attempt is lost.`;

/** Calls in progress last, whatever keeps new ones from being made. */
export const nobodyText = (campaigns: readonly CampaignItem[]) =>
  campaigns.some(({ balance }) => balance.calling > 0) ? 'No new call is made' : 'Nobody is called';

/** The campaigns that wait for it, as it is the only key; null where others call. */
export function needOfKey(key: Key, campaigns: readonly CampaignItem[] | null): Need {
  const { name, since, parked, probe_at: asks } = key;
  const state = key.state as ClosedState;
  const isOnly = campaigns !== null;
  const waiting = waitingIn(campaigns ?? []);
  const texts: Record<ClosedState, string> = {
    out_of_credit: `${isOnly ? '' : `${counted(parked, 'person is', 'people are')} parked. `}Carillon continues by itself when there is credit.`,
    denied: 'Correct it in VOICE_API_KEYS or at the service, then try again.',
    failing: 'Carillon continues by itself when the service answers.',
  };
  return {
    id: `key ${name}`,
    tone: 'bad',
    what: `${sentenceOf(stateWords[state](`the key ${name}`))}${isOnly ? ` ${nobodyText(campaigns)}.` : ''}`,
    text: waiting > 0 ? `${waitingText(waiting)} ${texts[state]}` : texts[state],
    asks,
    since,
    all: isOnly,
    act: { to: `/keys/${encodeURIComponent(name)}`, words: 'Open the key' },
  };
}

/** The mildest: calls are made by the hours of their campaigns alone. */
export function needOfRules(campaigns: readonly CampaignItem[]): Need {
  const atNight = campaigns.filter(
    (each) => each.kind === 'list' && (each.state === 'running' || each.reason === byStop) && !each.window,
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

export const resumeAll = { opens: 'resume-all', words: 'Resume all' } as const;

/** After a stop of everything: one line for all that it stopped; `act` is who did it, where that is known. */
export function needOfStop(
  stopped: readonly CampaignItem[],
  isAll: boolean,
  act: Activity | undefined,
): Need[] {
  if (stopped.length === 0) return [];
  const waiting = waitingIn(stopped);
  const paused = act
    ? `${whoText(act)} stopped ${counted(stopped.length, 'campaign')}`
    : counted(stopped.length, 'campaign is paused', 'campaigns are paused');
  return [
    {
      id: 'stopped',
      tone: 'warn',
      what: isAll
        ? 'Everything is stopped.'
        : `${counted(stopped.length, 'campaign is', 'campaigns are')} stopped.`,
      text: `${paused}, and ${counted(waiting, 'person waits', 'people wait')} until you resume.`,
      since: stopped.map(({ since }) => since).sort()[0]!,
      act: resumeAll,
      icon: 'pause',
      all: isAll,
    },
  ];
}
