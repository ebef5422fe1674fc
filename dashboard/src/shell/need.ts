import type { Alert, CampaignItem, Key } from '../api/ask.ts';
import { counted, sentenceOf } from '../kit/words.ts';

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
  const act = places[code]?.(subject) ?? (ofHealth.has(code) ? openHealth : null);
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

/** Where the title does not say whose it is. */
const subjects: Partial<Record<Alert['code'], (head: string) => string>> = {
  'webhook-down': (head) => `The webhook ${head}.`,
  'campaign-ends': (name) => `${name} ends before everyone is called.`,
  'list-rejected': (name) => `Most rows of ${name} were rejected.`,
};

/** What follows, where the page's own button replaces the commands of the remedy. */
export const consequences: Partial<Record<Alert['code'], string>> = {
  'webhook-down': 'Its events wait, and are delivered when it answers.',
  'alerts-unsent': 'Nobody hears of trouble there until a message arrives.',
  'list-rejected': 'Correct what the reason names, such as the country, and add these rows again.',
  'campaign-ends': 'Let it end later, widen its hours or allow more calls at once.',
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
  'campaign-ends': (id) => ({
    to: `/campaigns/${encodeURIComponent(id)}?tab=order`,
    words: 'Change its hours',
  }),
  'list-rejected': (id) => ({
    to: `/campaigns/${encodeURIComponent(id)}?tab=results`,
    words: 'See the rows',
  }),
  'number-resting': () => ({ to: '/numbers', words: 'See the numbers' }),
};

/** The closed keys among what needs a person. */
export function needsOfKeys(
  present: readonly Key[],
  closed: readonly Key[],
  campaigns: readonly CampaignItem[],
): Need[] {
  const waiting = waitingIn(campaigns);
  if (closed.length < 2 || closed.length < present.length)
    return closed.map((key) => needOfKey(key, present.length === 1 ? waiting : null));
  const probes = closed.flatMap(({ probe_at: at }) => (at ? [Date.parse(at)] : []));
  const reasons = closed.map(({ name, state }) => stateWords[state as ClosedState](name)).join('; ');
  return [
    {
      id: 'every key',
      tone: 'bad',
      what: 'No key is open. Nobody is called.',
      text: `${sentenceOf(reasons)} ${waitingText(waiting)}`,
      asks: probes.length > 0 ? new Date(Math.min(...probes)).toISOString() : null,
      since: closed.map(({ since }) => since).sort()[0]!,
      act: { to: '/keys', words: 'Open the keys' },
      all: true,
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
  campaigns.reduce((sum, { balance }) => sum + balance.waiting + balance.parked, 0);
export const waitingText = (people: number) =>
  `${counted(people, 'person waits', 'people wait')}; no attempt is lost.`;

/** `waiting` wait for it, as it is the only key; null where others call. */
export function needOfKey(key: Key, waiting: number | null): Need {
  const { name, since, parked, probe_at: asks } = key;
  const state = key.state as ClosedState;
  const isOnly = waiting !== null;
  const texts: Record<ClosedState, string> = {
    out_of_credit: `${counted(parked, 'person is', 'people are')} parked. Carillon continues by itself when there is credit.`,
    denied: 'Correct it in VOICE_API_KEYS or at the service, then try again.',
    failing: 'Carillon continues by itself when the service answers.',
  };
  return {
    id: `key ${name}`,
    tone: 'bad',
    what: `${sentenceOf(stateWords[state](`the key ${name}`))}${isOnly ? ' Nobody is called.' : ''}`,
    text: isOnly && waiting > 0 ? `${waitingText(waiting)} ${texts[state]}` : texts[state],
    asks,
    since,
    all: isOnly,
    act: { to: `/keys/${encodeURIComponent(name)}`, words: 'Open the key' },
  };
}
