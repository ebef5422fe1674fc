import { isMet } from './answer-rules.ts';
import type { ListPage, Turn } from './call.ts';
import type { ListForm, ServiceDescription } from './description.ts';
import { firstAt, isEmpty, valuesAt } from './pointer.ts';
import type { Answer } from './requests.ts';
import { type Places, placesIn } from './template.ts';
import { isObject, longest, nameOf, textOf } from './values.ts';

/** Lists of a service, page by page, in its own way of counting. */
export type Found = Readonly<{
  id: string;
  /** Null if the list does not show it. */
  stamp: string | null;
  phone: string | null;
}>;

/** `limit` is for one page; by default it is as large as the service allows. */
export type PageAsk = Readonly<{ limit?: number | undefined; turn?: Turn | null | undefined }>;

export function turnPlaces(form: ListForm, { limit, turn }: PageAsk): Places {
  const first = limit === undefined ? { offset: 0, page: 1 } : { page: 1 };
  return { limit: limit ?? form.limit, ...first, ...turn };
}

/** The setting of the profile without which the list cannot be read; null when none is missing. */
export function missingSetting(form: ListForm | null | undefined, places: Places): string | null {
  const named = placesIn([form?.path, form?.query]).map(({ name }) => name);
  return named.find((name) => name.startsWith('settings.') && isEmpty(places[name])) ?? null;
}

/** A time in each form that services take. */
export function timePlaces(times: Record<'since' | 'until', number>): Places {
  return Object.fromEntries(
    Object.entries(times).flatMap(([name, ms]) => [
      [name, new Date(ms).toISOString()],
      [`${name}.ms`, ms],
      [`${name}.s`, Math.floor(ms / 1_000)],
    ]),
  );
}

/** Undefined for a body that holds no list. */
export function pageOf<T>(
  form: ListForm,
  { limit, turn }: PageAsk,
  json: unknown,
  read: (item: unknown) => T | null,
): ListPage<T> | undefined {
  const [given] = valuesAt(json, form.items);
  if (!Array.isArray(given)) return undefined;
  const items = given.map(read).filter((item) => item !== null);
  const isFull = given.length >= (limit ?? form.limit ?? Number.POSITIVE_INFINITY);
  return { items, next: given.length === 0 ? null : nextTurn(form, turn ?? {}, json, given, isFull) };
}

function nextTurn(form: ListForm, turn: Turn, json: unknown, items: unknown[], isFull: boolean): Turn | null {
  const { next } = form;
  if (!next) return null;
  if ('cursor' in next) {
    const cursor = cursorOf(firstAt(json, next.cursor));
    const isMore = next.more === undefined || firstAt(json, next.more) === true;
    return cursor !== null && isMore ? { cursor } : null;
  }
  if ('page' in next) {
    const isMore = next.more === undefined ? isFull : firstAt(json, next.more) === true;
    return isMore ? { page: (turn.page ?? 1) + 1 } : null;
  }
  if (!isFull) return null;
  if ('offset' in next) return { offset: (turn.offset ?? 0) + items.length };
  const before = nameOf(firstAt(items.at(-1), next.before), longest.address);
  return before === null ? null : { before };
}

/** Some services give the whole address of the next page. */
function cursorOf(told: unknown): string | null {
  if (typeof told !== 'string' || !/^https?:/i.test(told) || !URL.canParse(told))
    return nameOf(told, longest.address);
  return new URL(told).searchParams.get('cursor');
}

export function findIn(
  list: NonNullable<ServiceDescription['list']>,
  turn: Turn | null,
  json: unknown,
): ListPage<Found> | undefined {
  return pageOf(list, { turn }, json, (item) => {
    const id = nameOf(firstAt(item, list.id));
    if (id === null || (list.except && isMet(list.except, item, 0))) return null;
    const told = (place: typeof list.stamp) => (place === undefined ? null : nameOf(firstAt(item, place)));
    return { id, stamp: told(list.stamp), phone: told(list.phone) };
  });
}

/** The most that is read of one list: a service may answer full pages for ever. */
const most = { items: 20_000, size: 33_554_432, ms: 120_000 };

/**
 * All pages, requested lazily. Ends after the last page or the first fault, or when `before`, asked ahead of each page,
 * returns false. A list that is too long, or comes back to a place or to items where it was, ends with a page that says
 * so in `cut`: what is not on it may exist.
 */
export async function* pagesOf<T>(
  ask: (turn: Turn | null) => Promise<Answer<ListPage<T>>>,
  before: () => Promise<boolean> = async () => true,
  mostPages = 100,
): AsyncGenerator<Answer<ListPage<T>>, void, void> {
  const seen = new Set<unknown>();
  const turns = new Set<string>();
  let [items, size, ms] = [0, 0, 0];
  for (let turn: Turn | null = null; await before(); ) {
    const page: Answer<ListPage<T>> = await ask(turn);
    turns.add(JSON.stringify(turn));
    if (!page.ok) {
      yield page;
      return;
    }
    const { items: given, next } = page.value;
    // Lines of a transcript have no ids, and may come twice.
    const fresh = given.filter((item) => !seen.has(idOf(item)));
    for (const item of fresh) if (idOf(item) !== undefined) seen.add(idOf(item));
    items += fresh.length;
    size += page.size ?? 0;
    ms += page.ms;
    const cut = next === null ? null : cutAt();
    yield { ...page, value: { items: fresh, next, ...(cut === null ? {} : { cut }) } };
    if (next === null || cut !== null) return;
    turn = next;

    function cutAt(): string | null {
      if (given.length > 0 && fresh.length === 0) return `page ${turns.size} has nothing new`;
      if (turns.has(JSON.stringify(next))) return `page ${turns.size} leads back to an earlier one`;
      if (turns.size >= mostPages) return `it has more than ${mostPages} pages`;
      if (items >= most.items) return `it has more than ${most.items} items`;
      if (size >= most.size) return `it is longer than ${most.size} bytes`;
      return ms >= most.ms ? `it takes longer than ${most.ms / 1_000} s` : null;
    }
  }
}

type Speech = Readonly<{
  who: string;
  says: string;
  names?: Readonly<Record<string, string>> | undefined;
}>;

/** One turn of a service's own transcript format; null for a turn in which nobody speaks. */
export function lineOf(turn: unknown, { who, says, names = {} }: Speech): string | null {
  const speaker = firstAt(turn, who);
  const said = firstAt(turn, says);
  if (typeof said !== 'string') return null;
  const name = typeof speaker === 'string' ? wordFor(names, speaker) : '?';
  return name === '' ? null : `${name}: ${said}`;
}

export function transcriptFrom(lines: readonly (string | null)[]): string | null {
  return textOf(lines.filter((line) => line !== null).join('\n'));
}

/** Looks up only words that the description itself translates: each object has a `constructor`. */
export function wordFor(words: Readonly<Record<string, string>>, word: string): string {
  return Object.hasOwn(words, word) ? words[word]! : word;
}

function idOf(item: unknown): unknown {
  return isObject(item) ? item.id : undefined;
}
