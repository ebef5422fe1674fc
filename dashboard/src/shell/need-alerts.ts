import type { Alert } from '../api/description.ts';
import { sentenceOf } from '../kit/words.ts';
import { type Need, openHealth } from './need.ts';

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
    text: `${sentenceOf(why)} ${follows ?? remedy}`,
    since,
    all: code === 'history-lost',
    ...(act ? { act } : {}),
  };
}

/** Where the title does not say whose it is. */
const subjects: Partial<Record<Alert['code'], (head: string) => string>> = {
  'webhook-down': (head) => `The webhook ${head}.`,
  'list-rejected': (name) => `Most rows of ${name} were rejected.`,
};

/** What follows, where the page's own button replaces the commands of the remedy. */
export const consequences: Partial<Record<Alert['code'], string>> = {
  'webhook-down': 'Its events wait, and are delivered when it answers.',
  'alerts-unsent': 'Nobody hears of trouble there until a message arrives.',
  'list-rejected': 'Correct what the reason names, such as the country, and add these rows again.',
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
  'list-rejected': (id) => ({
    to: `/campaigns/${encodeURIComponent(id)}?tab=results`,
    words: 'See the rows',
  }),
  'number-resting': () => ({ to: '/numbers', words: 'See the numbers' }),
};
