import type { BodyOf } from '../../api/ask.ts';
import { useAsk } from '../../data/queries.ts';
import { retryOf } from '../../order/control.tsx';
import {
  fieldsOf,
  jsonFault,
  type Ordered,
  type OrderField,
  type OrderName,
  orderFields,
  readText,
} from '../../order/fields.ts';
import type { Draft } from './draft.ts';
import { type Step, steps } from './step-names.ts';
import { faultsIn, titles } from './steps.ts';

/** The draft as the API takes it. Fields that were left empty are left out: the order's own default holds. */
type Order = Omit<BodyOf<'POST /api/campaigns'>, 'name' | 'recipients' | 'start'>;

export function orderOf(draft: Draft): Order {
  const given = orderFields.map((field) => [
    field.name,
    readText(field, [draft[field.name]].flat().join('\n')),
  ]);
  return Object.fromEntries(
    given.filter(([, value]) => value !== null && [value].flat().length > 0),
  ) as Order;
}

/** The order as it would stand: what was left empty has its default. */
export function orderedOf(draft: Draft): Ordered {
  const sent: Partial<Record<OrderName, unknown>> = orderOf(draft);
  const standing = orderFields.map((field) => [field.name, standsAs(field, sent[field.name] ?? null)]);
  return Object.fromEntries(standing) as Ordered;
}

function standsAs({ name, kind, empty }: OrderField, value: unknown): unknown {
  const given = value ?? (kind === 'choice' || /^\d/.test(empty ?? '') ? empty : null);
  if (kind === 'retry' || name === 'next_number') return retryOf(String(given ?? ''));
  if (kind === 'callers' || kind === 'list') return given ?? [];
  return kind === 'number' && given !== null ? Number(given) : given;
}

/** The terms that judge whether a person can ever be called. */
export function hoursOf(order: Partial<Order>): Partial<Order> {
  const ofHours = fieldsOf('when').map(({ name }) => name as string);
  return Object.fromEntries(Object.entries(order).filter(([name]) => ofHours.includes(name)));
}

/** Two drafts with the same key are the same campaign: its list, how that is read, and its order. */
export const draftKey = (draft: Draft) =>
  JSON.stringify([draft.name, draft.file?.id, columnsOf(draft), orderOf(draft)]);

export function columnsOf({ map, sheet, country, fixes }: Draft): Record<string, string> {
  const mended = Object.keys(fixes).length > 0 ? JSON.stringify(fixes) : '';
  const given = Object.entries({ ...map, sheet, country: country.trim(), fixes: mended });
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** What is still missing before anything can be asked, by the step that asks for it; all else is the API's to judge. */
export type Lack = { step: Step; words: string };

export function lacking(draft: Draft, file: File | null | undefined): Lack[] {
  const lacks: Lack[] = [];
  if (!draft.file || file === null) lacks.push({ step: 'people', words: 'Choose a file, or paste numbers.' });
  if (draft.name.trim() === '') lacks.push({ step: 'calls', words: 'Give the campaign a name.' });
  if (draft.agent.trim() === '') lacks.push({ step: 'calls', words: 'Say which agent speaks.' });
  if (jsonFault(draft.override) !== null)
    lacks.push({ step: 'calls', words: 'Put the JSON of the override right.' });
  for (const step of steps) {
    const faults = faultsIn(step, draft.faults);
    if (faults.includes('map')) lacks.push({ step, words: 'Choose the column with the phones.' });
    if (faults.some((fault) => fault !== 'map'))
      lacks.push({ step, words: `Change what was refused under ${titles[step]}.` });
  }
  return lacks;
}

/** That of the costs so far: a list that was only read has none of its own. */
export const useCurrency = (): string | null =>
  useAsk('GET /api/campaigns', { limit: 50 }).data?.items.find(({ currency }) => currency)?.currency ?? null;
