import type { Activity } from '../../api/description.ts';
import { timeText } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';
import { orderFields } from '../../order/fields.ts';
import { sourceText } from '../suppressions/columns.tsx';
import { orderWords } from './sentences.ts';

/** What else was set, where its name and value would read as a form. */
const otherWords: typeof orderWords = {
  until: (value) => `until ${timeText(value)}`,
  source: (value) => sourceText(value as 'api'),
  skipped: (value) => `${counted(Number(value), 'person', 'people')} skipped`,
  ends_at: (value) => `ends ${timeText(value)}`,
  person: (value) => `for ${value}`,
  events: (value) => `hears of ${value}`,
  role: (value) => `with the role “${value.replace('_', ' ')}”`,
};

/** Fields that the sentence tells. */
const told = new Set(
  'new known phones changed accepted rejected start state hang_up count added url address kind as message since code severity title attempts resolved'.split(
    ' ',
  ),
);

export type Detail = { text: string; was?: string; is?: string };

/** The fields that changed, each in its words; what stayed the same and what the line has said already is left out. */
export function changed({ verb, before, after, campaign }: Activity, subject: string) {
  const words = verb.startsWith('campaign.') ? orderWords : otherWords;
  const names = [...new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})])];
  return names.flatMap((field): Detail[] => {
    const was = textOf(before?.[field]);
    const now = textOf(after?.[field]);
    // Any day is what is usual.
    if (was === now || told.has(field) || (field === 'days' && now?.split(',').length === 7)) return [];
    // Of a thing that is gone it tells only what it was.
    const is = now ?? (after === null ? was! : 'none');
    const text = labelOf(field);
    if (was !== null && after !== null)
      return [{ text, was: valueText(field, was), is: valueText(field, is) }];
    if (['0', campaign, subject].includes(is)) return [];
    return [{ text: words[field]?.(is) ?? `${text} ${valueText(field, is)}` }];
  });
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((each) => textOf(each) ?? '–').join(', ');
  if (typeof value !== 'object') return String(value);
  const parts = Object.entries(value).flatMap(([name, each]) => {
    const text = textOf(each);
    return text === null ? [] : [`${name} ${text}`];
  });
  return parts.length === 0 ? null : `(${parts.join('; ')})`;
}

/** The field of an order by the name of its form. */
function labelOf(field: string): string {
  if (field === 'body') return 'rules';
  const label = orderFields.find(({ name }) => name === field)?.label ?? field.replaceAll('_', ' ');
  return label.toLowerCase();
}

function valueText(field: string, value: string): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return timeText(value);
  if (field === 'body') return value.replace(/^\((.*)\)$/, '$1');
  if (field === 'source') return sourceText(value as 'api');
  if (field === 'window' || field === 'retry') return orderWords[field]!(value);
  return field === 'role' ? value.replace('_', ' ') : value;
}
