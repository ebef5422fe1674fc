import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { PeopleSearch } from '../search.ts';
import { openPeople } from './list.ts';
import type { PeopleList } from './reading.ts';
import { readSort } from './sort.ts';

/** The list that is shown: another one for each filter; those in sight are read again while the campaign runs. */
export type ListWanted = {
  campaign: string;
  filter: PeopleSearch;
  order: 'moved' | undefined;
  /** A column, with a minus for the other direction. */
  sort: string | undefined;
  row: number | undefined;
  /** Rows of the whole list; null where pages follow each other. */
  rows: number | null;
  /** How often those in sight are read again; null is never. */
  everyMs: number | null;
  /** Grows when the list is to be read from its beginning. */
  turn: number;
};

export function usePeopleList(wanted: ListWanted): PeopleList {
  const { campaign, rows, row, order, sort, everyMs, turn } = wanted;
  const filterKey = JSON.stringify(wanted.filter);
  const isWhole = rows !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that grows finds its new rows by itself; `turn` opens another.
  const list = useMemo(
    () =>
      openPeople({
        campaign,
        filter: JSON.parse(filterKey),
        order,
        sort: readSort(sort)?.order ?? null,
        row,
        rows: isWhole ? (rows ?? 0) : null,
      }),
    [campaign, filterKey, order, sort, row, isWhole, turn],
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
