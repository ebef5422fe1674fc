import type { Activity } from '../../api/description.ts';
import { count, counted, waitsText } from '../../kit/words.ts';
import { weekWords } from '../../order/week.ts';

/** An entry of the activity as a sentence, actor first: what was done, and to what. */
type Facts = Record<string, unknown>;
type Say = (after: Facts, before: Facts) => string;

const number = (value: unknown) => (typeof value === 'number' ? value : 0);
const people = (n: number) => counted(n, 'person', 'people');

/** What Carillon noticed by itself: how it began, and how it ended. Its subject follows. */
const noticed: Readonly<Record<string, readonly [began: string, ended: string]>> = {
  'key-denied': ['closed a key that the service does not accept:', 'saw a key open again:'],
  'key-out-of-credit': ['closed a key that has no credit:', 'saw a key open again:'],
  'key-failing': ['closed a key on which the service fails:', 'saw a key open again:'],
  'number-resting': ['rested a caller number:', 'returned a caller number:'],
  'campaign-stands': ['noticed that {campaign} called nobody:', 'noticed that {campaign} calls again'],
  'budget-near': [
    'noticed that the budget of {campaign} is nearly spent',
    'found room in the budget of {campaign} again',
  ],
  'webhook-down': ['noticed that a webhook takes no events', 'noticed that a webhook takes events again'],
  'alerts-unsent': ['could not deliver alerts to one address', 'delivers alerts to an address again'],
  'unknown-rising': ['noticed that calls became unknown:', 'noticed no unknown call for 15 minutes'],
};
const lower = (title: unknown) => String(title).replace(/^./, (letter) => letter.toLowerCase());

/** Why it paused by itself; a pause by hand has no reason to tell. */
function whyPaused(reason: string): string {
  if (reason.startsWith('paused by hand')) return '';
  return reason === 'first' ? ' for you to hear its first calls' : `: ${reason.replace(/^stop-at: /, '')}`;
}

const bulkWords: Readonly<Record<string, readonly [begun: string, done: string]>> = {
  retry: ['call again', 'called again'],
  skip: ['skip', 'skipped'],
  suppress: ['suppress', 'suppressed'],
  resolve: ['settle', 'settled'],
  export: ['export', 'exported'],
};

/** The words after the actor; `{campaign}` stands where its link goes. */
const sentences: Record<string, Say> = {
  'campaign.create': ({ start, new: added }) =>
    `made ${start ? 'and started ' : ''}{campaign}${number(added) > 0 ? ` with ${people(number(added))}` : ''}`,
  'campaign.change': ({ name }, { name: was }) =>
    name ? `renamed {campaign} from “${was}”` : 'changed the settings of {campaign}',
  'campaign.start': (_, { state }) => (state === 'paused' ? 'resumed {campaign}' : 'started {campaign}'),
  'campaign.run': () => 'ran {campaign} in a terminal',
  'campaign.pause': ({ hang_up: hangUp, reason }) =>
    String(reason).endsWith('everything was stopped')
      ? `stopped everything${hangUp ? ' and hung up all calls' : ''}: {campaign}`
      : `paused {campaign}${hangUp ? ' and hung up its calls' : ''}${typeof reason === 'string' ? whyPaused(reason) : ''}`,
  'campaign.cancel': () => 'canceled {campaign} for good',
  'campaign.retry': () => 'had people of {campaign} called again',
  'campaign.refresh': () => 'asked again for the records of {campaign}',
  'campaign.clone': () => 'made {campaign} as a copy',
  'campaign.delete': () => 'deleted {campaign}',
  'recipients.add': ({ new: added, changed, rejected }) => {
    const more = [
      ...(number(changed) > 0 ? [`${count(number(changed))} changed`] : []),
      ...(number(rejected) > 0 ? [`${counted(number(rejected), 'row')} rejected`] : []),
    ];
    return `added ${people(number(added))} to {campaign}${more.length > 0 ? `; ${more.join(', ')}` : ''}`;
  },
  'recipient.change': () => 'changed a person of {campaign}',
  'recipient.remove': () => 'took a person off {campaign}',
  'person.erase': () => 'erased a person',
  'person.lift': () => 'let an erased person be called again',
  'secret.forget': () => 'forgot the people who were erased under another secret',
  'keep.set': ({ days }) =>
    `had what people said kept ${days ? `for ${counted(number(days), 'day')}` : 'for ever'}`,
  'call.create': () => 'ordered a single call',
  'call.cancel': () => 'ended a call of {campaign}',
  'call.change': () => 'changed a call at the service',
  'call.refresh': () => 'asked the service about a call',
  'call.judge': ({ as, resolved }) => {
    const calls = number(resolved) > 1 ? `${count(number(resolved))} calls` : 'a call';
    return as === 'opt-out'
      ? `listened to ${calls} of {campaign}, and heard that the ${number(resolved) > 1 ? 'people want' : 'person wants'} no more`
      : `listened to ${calls} of {campaign}: ${as === 'wrong' ? 'wrong' : 'fine'}`;
  },
  // Where one person settled several in a row, `not` is how many of them were not made.
  'unknown.resolve': ({ as, resolved, not }) => {
    const [n, no] = [number(resolved), number(not)];
    if (n > 1 && no > 0 && no < n)
      return `settled ${count(n)} unknown calls: ${counted(n - no, 'was', 'were')} made, ${counted(no, 'was', 'were')} not`;
    const calls = n > 1 ? `${count(n)} unknown calls` : 'an unknown call';
    return `settled ${calls}: ${as === 'not-called' ? 'nobody was called' : n > 1 ? 'they were made' : 'it was made'}`;
  },
  'bulk.start': ({ act, found }) =>
    `began to ${bulkWords[String(act)]?.[0]} ${people(number(found))} of {campaign}`,
  'bulk.end': ({ act, done, passed }) => {
    const left = Object.values({ ...(passed as Facts) }).reduce<number>((sum, n) => sum + number(n), 0);
    const others = left > 0 ? `; ${count(left)} stay as they were` : '';
    return `had ${people(number(done))} of {campaign} ${bulkWords[String(act)]?.[1]}${others}`;
  },
  'bulk.stop': () => 'stopped an act on many people of {campaign}',
  // Of a file only their number is known; of many the first are named.
  'suppression.add': ({ count: some, phones }) => {
    const n = number(some) || number(phones);
    if (n <= 1) return 'suppressed a phone';
    const named = Array.isArray(phones)
      ? `: ${phones.slice(0, 3).join(', ')}${n > 3 ? ' and others' : ''}`
      : '';
    return `suppressed ${count(n)} phones${named}`;
  },
  'suppression.remove': () => 'lifted a suppression',
  'policy.set': () => 'changed the contact rules',
  'key.resume': () => 'resumed the key',
  'key.confirm': () => 'confirmed the secret of the key',
  'number.rest': () => 'rested a caller number',
  'number.return': () => 'returned a caller number',
  'ledger.confirm': () => 'confirmed the history of the ledger',
  'token.create': () => 'made a token',
  'token.revoke': () => 'revoked a token',
  'view.keep': () => 'kept a view of people',
  'view.remove': () => 'removed a view of people',
  'webhook.add': () => 'added a webhook',
  'webhook.change': () => 'changed a webhook',
  'webhook.remove': () => 'removed a webhook',
  'webhook.replay': () => 'had a webhook told again',
  'alert.raise': ({ code, title }) => noticed[String(code)]?.[0] ?? `noticed: ${lower(title)}`,
  'alert.clear': ({ code, title }) => noticed[String(code)]?.[1] ?? `saw the end of this: ${lower(title)}`,
  'alert.add': () => 'added an address of alerts',
  'alert.remove': () => 'removed an address of alerts',
};

export const sentenceOf = ({ verb, before, after }: Pick<Activity, 'verb' | 'before' | 'after'>): string =>
  sentences[verb]?.(after ?? {}, before ?? {}) ?? verb;

/** What an order says, as its own page says it; a field without words here is told by its name. */
export const orderWords: Readonly<Record<string, (value: string) => string>> = {
  agent: (value) => `${value} speaks`,
  window: (value) => weekWords(value),
  timezone: (value) => `people without a time zone are in ${value}`,
  max_calls: (value) => `at most ${value === '1' ? '1 call' : `${value} calls`} at once`,
  max_cost: (value) => `ends at a cost of ${value}`,
  from: (value) => (value === 'all' ? 'calls come from every number' : `calls come from ${value}`),
  per_number_day: (value) => `at most ${value} calls a day from each number`,
  max_attempts: (value) =>
    value === '1' ? 'nobody is called again' : `up to ${value} tries for each person`,
  retry: retryWords,
  weight: (value) => `dials ${value} times as often as other campaigns`,
  first: (value) => `pauses after the first ${count(Number(value))} people`,
  on_unknown: (value) =>
    value === 'hold' ? 'calls in doubt wait for you' : 'calls in doubt are made once more',
  callback_at: () => 'calls back who asks for it',
  opt_out: () => 'suppresses who asks for no more calls',
  evergreen: (value) => (value === 'true' ? 'calls people as they are added' : 'new people wait for a start'),
};

/** `(busy 10s; no-answer 2h/1d)` as `after busy again in 10 s, after no answer again in 2 h, then 1 day`. */
function retryWords(value: string): string {
  const rules = value.replace(/^\((.*)\)$/, '$1').split('; ');
  return rules
    .map((rule) => {
      const [outcome = '', waits = ''] = rule.split(' ');
      return `after ${outcome.replace('-', ' ')} again in ${waitsText(waits)}`;
    })
    .join(', ');
}

/** `recipient.opted_out` as `person opted out`. */
export const eventText = (type: string) =>
  type.replace('recipient', 'person').replace('attempt', 'call').replaceAll(/[._]/g, ' ');
