import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/**
 * Which rows of a very long list are in sight. A browser's element has an end at about 900,000 rows of a table, so the
 * scroll bar of a longer list stands for more rows than its length: a drag goes anywhere, a wheel goes row by row.
 */
/** On a phone a row is a card of two lines. */
export const isNarrow = matchMedia('(max-width: 639px)').matches;
export const rowPx = isNarrow ? 60 : 36;
const mostPx = 6_000_000;
/** A longer way at once is a drag of the bar. */
const dragPx = 1_500;
const restMs = 150;

export type RowWindow = {
  frame: RefObject<HTMLDivElement | null>;
  /** The first row in sight, and how many there are. */
  first: number;
  shown: number;
  spacerPx: number;
  onScroll(): void;
  goTo(row: number): void;
};

export function useRowWindow(count: number, headPx: number): RowWindow {
  const frame = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(20);
  const [position, setPosition] = useState(0);
  const exact = useRef(0);
  const last = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const spacerPx = Math.min(count * rowPx, mostPx);
  const isScaled = count * rowPx > mostPx;
  const most = Math.max(0, count - shown);

  useLayoutEffect(() => {
    const box = frame.current;
    if (!box) return;
    const measure = () => setShown(Math.max(1, Math.floor((box.clientHeight - headPx) / rowPx)));
    measure();
    const resize = new ResizeObserver(measure);
    resize.observe(box);
    return () => resize.disconnect();
  }, [headPx]);

  const place = useCallback(
    (row: number) => {
      exact.current = Math.min(most, Math.max(0, row));
      setPosition(Math.round(exact.current));
    },
    [most],
  );
  const follow = useCallback(() => {
    const box = frame.current;
    if (!box) return;
    const way = box.scrollHeight - box.clientHeight;
    box.scrollTop = most > 0 ? (exact.current / most) * way : 0;
    last.current = box.scrollTop;
  }, [most]);

  // A list that became shorter is shown to its end.
  useEffect(() => {
    if (exact.current > most) place(most);
  }, [most, place]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const onScroll = () => {
    const box = frame.current;
    if (!box) return;
    const top = box.scrollTop;
    const way = box.scrollHeight - box.clientHeight;
    const delta = top - last.current;
    last.current = top;
    if (delta === 0) return;
    const isAtEnd = top <= 0 || top >= way - 1;
    if (isScaled && Math.abs(delta) < dragPx && !isAtEnd) {
      place(exact.current + delta / rowPx);
      clearTimeout(timer.current);
      timer.current = setTimeout(follow, restMs);
    } else place(way > 0 ? (top / way) * most : 0);
  };

  const goTo = useCallback(
    (row: number) => {
      place(row);
      follow();
    },
    [place, follow],
  );
  return { frame, first: Math.min(position, most), shown: Math.min(shown, count), spacerPx, onScroll, goTo };
}
