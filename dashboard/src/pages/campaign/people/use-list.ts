import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { openPeople } from './list.ts';
import type { PeopleList, PeopleSource } from './reading.ts';
import { readSort } from './sort.tsx';

/** The list that is shown: another one for each filter; those in sight are read again while the campaign runs. */
type ListWanted = Omit<PeopleSource, 'sort'> & {
  /** A column, with a minus for the other direction. */
  sort: string | undefined;
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
