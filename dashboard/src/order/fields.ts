import type { Campaign } from '../api/description.ts';
import { orderForm } from '../api/order-form.ts';
import { spanText, waitsText } from '../kit/words.ts';
import { weekWords } from './week.ts';

/** The fields of an order, and how each is written as one text: empty where the default holds. */
type Group = (typeof orderForm)[number];
export type OrderGroup = Group['name'];
export type OrderName = Group['fields'][number]['name'];
/** `empty` is the value that holds while it is empty, `asked_by` the field whose own control asks for this one too. */
export type OrderField = Omit<Group['fields'][number], 'choices'> & {
  choices: readonly { value: string; label: string }[];
};

export const orderGroups: readonly { name: OrderGroup; title: string; fields: readonly OrderField[] }[] =
  orderForm;
export const orderFields: readonly OrderField[] = orderGroups.flatMap(({ fields }) => fields);

export const fieldsOf = (group: OrderGroup): readonly OrderField[] =>
  orderGroups.find(({ name }) => name === group)!.fields;

export function textOf({ name, kind }: OrderField, order: Partial<Record<OrderName, unknown>>): string {
  const value = order[name];
  if (value === null || value === undefined) return '';
  if (kind === 'json') return JSON.stringify(value, null, 2);
  if (kind === 'yes') return value === true ? 'yes' : '';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([outcome, wait]) => `${outcome}=${wait}`)
    .join(', ');
}

/** As the API takes it: null restores the default, also where JSON cannot be read. */
export function readText({ kind }: OrderField, text: string): unknown {
  const typed = text.trim();
  if (kind === 'agents' || kind === 'callers' || kind === 'list') {
    const several = typed.split(/[,\n]/).map((each) => each.trim());
    const given = several.filter((each) => each !== '');
    return given.length === 0 && kind !== 'agents' ? null : given;
  }
  if (typed === '') return null;
  if (kind === 'yes') return true;
  if (kind === 'json') return jsonFault(typed) === null ? JSON.parse(typed) : null;
  return kind === 'retry' ? typed.replaceAll(/\s/g, '') : typed;
}

/** The fault of a text that must be a JSON object; null when there is none. */
export function jsonFault(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
    return isObject ? null : 'Write one JSON object, such as {"language": "en"}.';
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}.`;
  }
}

/** An order: of a campaign, or of a draft of this browser. */
export type Ordered = Pick<Campaign, OrderName>;
/** What most people want in an order; what they meant by a text that the API does not take stands below. */
export const usualLimits: readonly OrderName[] = [
  'max_attempts',
  'max_calls',
  'max_cost',
  'stop_at',
  'opt_out',
];

/** Safe, until a person chooses otherwise. */
export const safeDefaults = { opt_out: 'structured_data.opt_out=true', stop_at: '50%/2m' };

/** How many calls must fail to pause it, in words; null where none do. */
export function failingText({ stop_at: stop }: Pick<Ordered, 'stop_at'>): string | null {
  const [share, span] = stop?.split('/') ?? [];
  return share ? `${share} of the calls${span ? ` of the last ${spanText(span)}` : ''} fail` : null;
}

export type Choice = { value: string; label: string };
const waits = ['10m', '30m', '1h', '2h', '4h', '1d', '30m/2h/1d'];

export const waitChoices: readonly Choice[] = [
  { value: '', label: 'Not again' },
  ...waits.map((value) => ({ value, label: waitsText(value) })),
];

const choicesOf = (texts: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(texts).map(([value, label]) => ({ value, label }));

export const picks: Partial<Record<OrderName, readonly Choice[]>> = {
  stop_at: choicesOf({
    '': 'Never',
    [safeDefaults.stop_at]: 'When half of the calls of the last 2 min fail',
    '50%/10m': 'When half of the calls of the last 10 min fail',
    '20%/10m': 'When 20% of the calls of the last 10 min fail',
  }),
  opt_out: choicesOf({
    [safeDefaults.opt_out]: 'Suppress who asks for no more calls',
    '': 'Do not look for it',
  }),
  callback_at: choicesOf({
    '': 'Do not look for it',
    'structured_data.callback_at': 'Call back at the time that a person names',
  }),
  result_delay: choicesOf({ '': '3 s', '10s': '10 s', '30s': '30 s', '2m': '2 min' }),
  next_number: choicesOf({
    '': 'At the next attempt',
    'no-answer=now, busy=now': 'At once, after no answer or busy',
    'no-answer=30m, busy=30m': '30 min after no answer or busy',
  }),
};

/** What was meant by a text that the API does not take: `30 minutes` as `30m`. Null where nothing is to be corrected, or nobody can tell. */
export function correctionOf({ name, kind }: Pick<OrderField, 'name' | 'kind'>, text: string): string | null {
  const typed = text.trim();
  const meant = typed === '' ? null : meantBy(name, kind, typed);
  return meant === typed ? null : meant;
}

function meantBy(name: OrderField['name'], kind: OrderField['kind'], typed: string): string | null {
  switch (name) {
    case 'stop_at':
      return shareIn(typed);
    case 'result_delay':
      return /^[\d.]+[sm]?$/.test(typed) ? null : spanIn(typed);
    case 'opt_out':
      return /^[\w.]+$/.test(typed) ? `${typed}=true` : null;
    case 'not_on':
      return typed.replaceAll(/(\d\d)\.(\d\d)\.(\d{4})/g, '$3-$2-$1').replaceAll('/', '-');
  }
  if (kind !== 'number') return null;
  const [number] = /\d+(?:\.\d+)?/.exec(typed.replaceAll(/(?<=\d)[, ’'](?=\d{3}\b)/g, '')) ?? [];
  return number !== undefined && (name === 'max_cost' || !number.includes('.')) ? number : null;
}

const seconds = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
const units = ['d', 'h', 'm', 's'] as const;
const part =
  /(\d+(?:[.,]\d+)?)\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z])/g;

/** A span of time, as one number and one unit; minutes where no unit stands. */
function spanIn(typed: string): string | null {
  const written = typed
    .toLowerCase()
    .replace(/half an hour/, '30m')
    .replace(/\b(?:an?|one) (?=[a-z])/g, '1 ')
    .replace(/^\s*\d+\s*$/, (n) => `${n.trim()}m`);
  let sum = 0;
  const rest = written.replace(part, (_, n, unit) => {
    sum += Number(n.replace(',', '.')) * seconds[unit[0] as keyof typeof seconds];
    return '';
  });
  const unit = units.find((each) => sum % seconds[each] === 0);
  return sum > 0 && unit && /^(?:\s|and)*$/.test(rest) ? `${sum / seconds[unit]}${unit}` : null;
}

export function waitsIn(typed: string): string | null {
  if (/^\d+[smhd](?:\/\d+[smhd])*$/.test(typed.replaceAll(' ', ''))) return null;
  const spans = typed.split(/\s*(?:\/|,?\s*\bthen\b|,)\s*/).map(spanIn);
  return spans.includes(null) ? null : spans.join('/');
}

/** `half of the calls in 2 minutes` as `50%/2m`. */
function shareIn(typed: string): string | null {
  const [, share = /half/i.test(typed) ? '50' : null] = /(\d+(?:\.\d+)?)\s*(?:%|percent|$)/.exec(typed) ?? [];
  const [time] = typed.match(part) ?? [];
  return share && `${share}%/${spanIn(time ?? '2m')}`;
}

/** Choices by which more people may be called than one would wish, each with the one that ends it. */
export type Risk = { field: OrderName; words: string; act: string; value: string };

const risks: readonly (Risk & { of?: string })[] = [
  {
    field: 'window',
    words: 'It has no hours, and no contact rules are in force: people are called at night too.',
    act: `Call ${weekWords('09:00-20:00')}`,
    value: '09:00-20:00',
  },
  {
    field: 'opt_out',
    words: 'People who ask for no more calls would be called again.',
    act: 'Suppress who asks',
    value: safeDefaults.opt_out,
  },
  {
    field: 'first',
    words: 'It calls everyone from the start, before anyone has heard a call.',
    act: 'Pause after the first 20',
    value: '20',
  },
  {
    field: 'stop_at',
    words: 'It goes on however many calls fail.',
    act: 'Pause when calls fail',
    value: safeDefaults.stop_at,
  },
  {
    field: 'on_unknown',
    of: 'redial',
    words: 'A call in doubt is made again once: someone may be called twice.',
    act: 'Hold calls in doubt',
    value: 'hold',
  },
];

/** `called` people are beyond a choice about the first ones; legal hours that are in force bound those of an order. */
export const risksOf = (order: Ordered, called: number, isBound: boolean): readonly Risk[] =>
  risks.filter(
    ({ field, of, value }) =>
      order[field] === (of ?? null) &&
      (field !== 'first' || called < Number(value)) &&
      (field !== 'window' || !isBound),
  );
