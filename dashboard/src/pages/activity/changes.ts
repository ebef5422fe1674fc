import type { Activity, Alert } from '../../api/ask.ts';
import type { IconName } from '../../kit/basics.tsx';
import { counted, spanText, timeText } from '../../kit/words.ts';
import { orderFields } from '../../order/fields.ts';
import { regionText } from '../../order/rules.ts';
import { alerts, openHealth } from '../../shell/causes.ts';
import { dateWords } from '../policy/rules.tsx';
import { eventText, orderWords } from './sentences.ts';

/** What is written in signs: packs by their country, days, kinds of events. */
const written: Readonly<Record<string, (each: string) => string>> = {
  hours: (pack) => regionText(pack.slice(0, 2).toUpperCase()),
  not_on: dateWords,
  events: eventText,
};

/** What else was set, where its name and value would read as a form. */
const words: typeof orderWords = {
  ...orderWords,
  reason: (value) => `“${value}”`,
  until: (value) => `until ${timeText(value)}`,
  skipped: (value) => `${counted(Number(value), 'person', 'people')} skipped`,
  ends_at: (value) => `ends ${timeText(value)}`,
  person: (value) => `for ${value}`,
  events: (value) => `hears of ${value}`,
  role: (value) => `with the role “${value.replace('_', ' ')}”`,
  hours: (value) => `only in the legal hours of ${value}`,
  caps: (value) => `${value} to a phone`,
  gap: (value) => `${spanText(value)} between calls to a phone`,
  after_conversation: (value) => `${spanText(value)} after a conversation`,
  not_on: (value) => `not on ${value}`,
};

/** Fields that the sentence tells. */
const told = new Set(
  'name new known phones changed accepted rejected start state hang_up count added url address kind as message since code severity title attempts resolved version act found filter done passed rest source'.split(
    ' ',
  ),
);

export type Detail = { text: string; was?: string; is?: string };
type Facts = Record<string, unknown>;
/** Contact rules stand in one field. */
const factsOf = (facts: Facts | null): Facts => ({ ...facts, ...(facts?.body as Facts), body: null });

/** The fields that changed, each in its words; what stayed the same and what the line has said already is left out. */
export function changed({ before, after, campaign }: Activity, subject: string) {
  const [old, now] = [factsOf(before), factsOf(after)];
  return [...new Set([...Object.keys(now), ...Object.keys(old)])].flatMap((field): Detail[] => {
    const [was, is] = [textOf(old[field], written[field]), textOf(now[field], written[field])];
    // Any day is what is usual.
    if (was === is || told.has(field) || (field === 'days' && is?.split(',').length === 7)) return [];
    const label = orderFields.find(({ name }) => name === field)?.label ?? field.replaceAll('_', ' ');
    const text = label.toLowerCase();
    if (was !== null && after !== null) return [{ text, was, is: is ?? 'none' }];
    // Of a thing that is gone it tells only what it was.
    const value = is ?? was!;
    if (['0', campaign, subject].includes(value)) return [];
    return [{ text: words[field]?.(value) ?? `${text} ${value}` }];
  });
}

function textOf(value: unknown, say = String as (each: string) => string): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((each) => textOf(each, say) ?? '–').join(', ');
  if (typeof value !== 'object') return say(String(value));
  // A cap of the contact rules.
  if ('per' in value && 'calls' in value)
    return `at most ${counted(Number(value.calls), 'call')} in ${spanText(String(value.per))}`;
  const parts = Object.entries(value).map(([name, each]) => `${name} ${textOf(each) ?? '–'}`);
  return parts.length === 0 ? null : `(${parts.join('; ')})`;
}

/** Links of an entry to what it is about, and how grave it is. */
type Place = { to: string; words: string };
function placeOfAlert(code: Alert['code'], subject: string): Place | null {
  const act = alerts[code].act?.(subject);
  // A dialog opens on Health too.
  return act && !('to' in act) ? openHealth : (act ?? null);
}

/** The first words of verbs: the icon of each, as the navigation has it, and the page that tells more. */
const nouns: Readonly<Record<string, readonly [IconName, place?: (of: string) => Place | null]>> = {
  campaign: ['lines'],
  recipients: ['people'],
  recipient: ['people'],
  person: ['people'],
  bulk: ['people'],
  view: ['columns'],
  call: ['call'],
  key: ['key', (name) => ({ to: `/keys/${encodeURIComponent(name)}`, words: 'Open the key' })],
  number: ['hash', () => ({ to: '/numbers', words: 'Numbers' })],
  policy: ['scales', () => ({ to: '/policy', words: 'See the rules' })],
  suppression: ['bar', () => ({ to: '/suppressions', words: 'See suppressions' })],
  unknown: ['query', (row) => (row ? { to: `/people/${row}`, words: 'See the person' } : null)],
  webhook: ['hook', () => ({ to: '/webhooks', words: 'Webhooks' })],
  token: ['ticket', () => ({ to: '/tokens', words: 'Tokens' })],
  alert: ['bell', () => ({ to: '/alerts', words: 'Alerts' })],
};
const nounOf = ({ verb }: Pick<Activity, 'verb'>) => nouns[verb.split('.')[0]!];
export const iconOf = (entry: Activity): IconName => nounOf(entry)?.[0] ?? 'pulse';

export function placeOf(entry: Activity): Place | null {
  const { verb, subject, campaign_id: id, after } = entry;
  if (after?.code) return placeOfAlert(after.code as Alert['code'], id ?? subject ?? '');
  if (verb === 'campaign.pause' && after?.reason === 'first')
    return { to: `/listen?campaign=${id}`, words: 'Listen back' };
  return nounOf(entry)?.[1]?.(subject ?? '') ?? null;
}

/** The state whose mark stands before it; most acts are neither good nor bad. */
export function gravityOf({ verb, who, after }: Activity): string | null {
  // A key that is closed is as grave here as where it needs a person.
  if (verb === 'alert.raise')
    return after?.severity === 'critical' || /^key-/.test(String(after?.code)) ? 'critical' : 'warning';
  if (verb === 'campaign.pause' && who === 'carillon') return 'paused';
  return null;
}
