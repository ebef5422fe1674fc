import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { PeopleSearch } from '../search.ts';
import { openPeople, type PeopleList } from './list.ts';

/** The list that is shown: another one for each filter; those in sight are read again while the campaign runs. */
export type ListWanted = {
  campaign: string;
  filter: PeopleSearch;
  order: 'moved' | undefined;
  row: number | undefined;
  /** Rows of the whole list; null where pages follow each other. */
  rows: number | null;
  /** How often those in sight are read again; null is never. */
  everyMs: number | null;
  /** Grows when the list is to be read from its beginning. */
  turn: number;
};

export function usePeopleList(wanted: ListWanted): PeopleList {
  const { campaign, rows, row, order, everyMs, turn } = wanted;
  const filterKey = JSON.stringify(wanted.filter);
  const isWhole = rows !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that grows finds its new rows by itself; `turn` opens another.
  const list = useMemo(
    () =>
      openPeople({ campaign, filter: JSON.parse(filterKey), order, row, rows: isWhole ? (rows ?? 0) : null }),
    [campaign, filterKey, order, row, isWhole, turn],
  );
  useEffect(() => () => list.close(), [list]);
  useSyncExternalStore(list.subscribe, list.version);
  useEffect(() => {
    if (everyMs === null) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') list.refresh().catch(() => undefined);
    }, everyMs);
    return () => clearInterval(timer);
  }, [list, everyMs]);
  return list;
}
