import type { Activity } from '../../api/description.ts';
import { timeText } from '../../kit/time.tsx';
import { counted, spanText } from '../../kit/words.ts';
import { orderFields } from '../../order/fields.ts';
import { sourceText } from '../suppressions/columns.tsx';
import { orderWords } from './sentences.ts';

/** What else was set, where its name and value would read as a form. */
const words: typeof orderWords = {
  ...orderWords,
  until: (value) => `until ${timeText(value)}`,
  source: (value) => sourceText(value as 'api'),
  skipped: (value) => `${counted(Number(value), 'person', 'people')} skipped`,
  ends_at: (value) => `ends ${timeText(value)}`,
  person: (value) => `for ${value}`,
  events: (value) => `hears of ${value}`,
  role: (value) => `with the role “${value.replace('_', ' ')}”`,
  hours: (value) => `nobody is called outside the legal hours of ${value}`,
  caps: (value) => `a phone has ${value}`,
  gap: (value) => `a phone rests ${spanText(value)} between calls`,
  after_conversation: (value) => `a phone rests ${spanText(value)} after a conversation`,
  not_on: (value) => `nobody is called on ${value}`,
};

/** Fields that the sentence tells. */
const told = new Set(
  'new known phones changed accepted rejected start state hang_up count added url address kind as message since code severity title attempts resolved version'.split(
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
    const was = textOf(old[field]);
    const is = textOf(now[field]);
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

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((each) => textOf(each) ?? '–').join(', ');
  if (typeof value !== 'object') return String(value);
  // A cap of the contact rules.
  if ('per' in value && 'calls' in value)
    return `at most ${counted(Number(value.calls), 'call')} in ${spanText(String(value.per))}`;
  const parts = Object.entries(value).map(([name, each]) => `${name} ${textOf(each) ?? '–'}`);
  return parts.length === 0 ? null : `(${parts.join('; ')})`;
}
