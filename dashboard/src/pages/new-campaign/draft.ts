import { createStore, keep, readKept } from '../../kit/store.ts';
import { type OrderName, orderFields, safeDefaults } from '../../order/fields.ts';
import { tellBrowserFile } from './file-store.ts';
import { fieldOf } from './steps.ts';

/** The fields as they were typed. They are kept in this browser, so that a reload or Back loses nothing. */
export const roles = { phone: 'Phone', name: 'Name', timezone: 'Time zone', state: 'State', agent: 'Agent' };
export type ColumnRole = keyof typeof roles;

export type SavedDraft = {
  id: string;
  name: string;
  importId: string | null;
  /** Of all that the ledger has of it. */
  key: string;
};

/** The order as it is typed: texts, but for the caller numbers, which are ticked. */
type DraftOrder = Record<Exclude<OrderName, 'from'>, string> & { from: string[] };
const emptyOrder = {
  ...Object.fromEntries(orderFields.map(({ name }) => [name, ''])),
  from: [] as string[],
} as DraftOrder;

const empty = {
  file: null as { id: string; name: string } | null,
  /** What the last check of the file found: people to call, and rows that are left out. */
  found: null as { people: number; rejected: number } | null,
  map: {} as Partial<Record<ColumnRole, string>>,
  sheet: '',
  /** Cells of rejected rows that were mended, by line and column. */
  fixes: {} as Readonly<Record<string, Readonly<Record<string, string>>>>,
  name: '',
  ...emptyOrder,
  /** Proposed: to call at any hour is a choice that a person makes. */
  window: '09:00-20:00',
  ...safeDefaults,
  /** The API's word on a field, until the field is changed. */
  faults: {} as Record<string, string>,
  saved: null as SavedDraft | null,
  /** How many steps were left behind: their fields were seen, though they may hold their defaults. */
  passed: 0,
  test: { phone: '', callId: null as string | null },
};
export type Draft = typeof empty;

const place = 'carillon.new-campaign';
const store = createStore(load());
export const { get: draftNow, use: useDraft } = store;

function load(): Draft {
  try {
    const kept = Object.entries(JSON.parse(readKept(place) ?? '{}') as Partial<Draft>);
    // Another version of the page may have kept other kinds of values.
    const usable = kept.filter(([name, value]) => typeof value === typeof empty[name as keyof Draft]);
    return { ...empty, ...Object.fromEntries(usable) };
  } catch {
    return empty;
  }
}

function set(now: Draft): void {
  keep(place, JSON.stringify(now));
  store.set(now);
}

/** Another tab fills in the same draft. */
window.addEventListener('storage', ({ key }) => {
  if (key === place) store.set(load());
});

type Faults = Draft['faults'];
const without = (faults: Faults, names: readonly string[]): Faults =>
  Object.fromEntries(Object.entries(faults).filter(([name]) => !names.includes(name)));

export function change(changes: Partial<Draft>): void {
  const draft = draftNow();
  set({ ...draft, faults: without(draft.faults, Object.keys(changes)), ...changes });
}

/** The API's words on fields stand at them, also after a reload. */
export function noteFaults(issues: readonly { path: string; message: string }[]): void {
  if (issues.length === 0) return;
  const draft = draftNow();
  const noted = Object.fromEntries(issues.map(({ path, message }) => [fieldOf(path), message]));
  set({ ...draft, faults: { ...draft.faults, ...noted } });
}

export function clearFaults(names: readonly string[]): void {
  const draft = draftNow();
  if (names.some((name) => name in draft.faults)) set({ ...draft, faults: without(draft.faults, names) });
}

/** The props of a field of the draft. */
export const fieldOfDraft = (draft: Draft, name: 'name' | 'agent' | 'country', label: string) => ({
  label,
  value: draft[name],
  error: draft.faults[name],
  onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
});

export function clearDraft(): void {
  set(empty);
  tellBrowserFile(null);
}

export const isUntouched = (now: Draft) => JSON.stringify({ ...now, passed: 0 }) === JSON.stringify(empty);
