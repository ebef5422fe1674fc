import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { hourText } from '../kit/local-time.ts';
import { classes } from '../kit/words.ts';
import { type Cell, clock, dayNames, openPart, paint, type Week } from './week.ts';

/**
 * A week of 7 days and 24 hours, open or closed: dragged with a pointer; with the keyboard, arrows move, Space opens or
 * closes, and Shift with an arrow carries the hour's state along.
 */
const hours = Array.from({ length: 24 }, (_, hour) => hour);
type Drag = { from: Cell; week: Week; isOpen: boolean };

export function WeekGrid({ week, onChange }: { week: Week; onChange(week: Week): void }) {
  const [at, setAt] = useState<Cell>({ day: 0, hour: 9 });
  const grid = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag>(null);
  const isOpen = ({ day, hour }: Cell) => openPart(week, day, hour) > 0;

  useEffect(() => {
    const end = () => {
      drag.current = null;
    };
    window.addEventListener('pointerup', end);
    return () => window.removeEventListener('pointerup', end);
  }, []);

  const press = (event: PointerEvent, cell: Cell) => {
    // A finger scrolls; its tap is a click.
    if (event.pointerType === 'touch' || event.button !== 0) return;
    drag.current = { from: cell, week, isOpen: !isOpen(cell) };
    setAt(cell);
    onChange(paint(week, cell, cell, !isOpen(cell)));
  };
  const over = (cell: Cell) => {
    const { current } = drag;
    if (current) onChange(paint(current.week, current.from, cell, current.isOpen));
  };
  const tap = (cell: Cell) => {
    setAt(cell);
    onChange(paint(week, cell, cell, !isOpen(cell)));
  };
  const key = (event: KeyboardEvent) => {
    const next = nextOf(event.key, at);
    if (next === null && event.key !== ' ' && event.key !== 'Enter') return;
    event.preventDefault();
    if (next === null) return onChange(paint(week, at, at, !isOpen(at)));
    if (event.shiftKey) onChange(paint(week, at, next, isOpen(at)));
    setAt(next);
    grid.current?.querySelector<HTMLElement>(`[data-cell="${next.day}-${next.hour}"]`)?.focus();
  };

  return (
    <div>
      {/* biome-ignore lint/a11y/useSemanticElements: a table has no cells that are chosen and moved in. */}
      <div
        ref={grid}
        role="grid"
        aria-label="Hours of the week"
        aria-multiselectable="true"
        tabIndex={-1}
        onKeyDown={key}
        className="grid grid-cols-[2.25rem_repeat(24,minmax(0,1fr))] gap-px select-none"
      >
        {week.map((_, day) => (
          // biome-ignore lint/a11y/useSemanticElements: it is a row of the grid above.
          // biome-ignore lint/a11y/useFocusableInteractive: its cells take the focus.
          <div key={dayNames[day]} role="row" className="contents">
            {/* biome-ignore lint/a11y/useSemanticElements: it is a header of the grid above. */}
            {/* biome-ignore lint/a11y/useFocusableInteractive: it does nothing. */}
            <div role="rowheader" className="pr-1 text-xs leading-6 text-quiet">
              {dayNames[day]!.slice(0, 3)}
            </div>
            {hours.map((hour) => (
              <HourCell
                key={hour}
                cell={{ day, hour }}
                part={openPart(week, day, hour)}
                isCurrent={at.day === day && at.hour === hour}
                onPress={press}
                onOver={over}
                onTap={tap}
                onFocus={setAt}
              />
            ))}
          </div>
        ))}
      </div>
      <div className="ml-9">
        <HourScale />
      </div>
    </div>
  );
}

type HourProps = {
  cell: Cell;
  part: number;
  isCurrent: boolean;
  onPress(event: PointerEvent, cell: Cell): void;
  onOver(cell: Cell): void;
  onTap(cell: Cell): void;
  onFocus(cell: Cell): void;
};

function HourCell({ cell, part, isCurrent, onPress, onOver, onTap, onFocus }: HourProps) {
  const { day, hour } = cell;
  const state = part === 0 ? 'closed' : part === 1 ? 'open' : 'partly open';
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is a cell of the grid above.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys.
    <div
      role="gridcell"
      tabIndex={isCurrent ? 0 : -1}
      data-cell={`${day}-${hour}`}
      aria-selected={part > 0}
      aria-label={`${dayNames[day]} ${clock(hour * 60)}, ${state}`}
      title={`${dayNames[day]} ${clock(hour * 60)} to ${clock(hour * 60 + 60)}, ${state}`}
      onPointerDown={(event) => onPress(event, cell)}
      onPointerEnter={() => onOver(cell)}
      onClick={(event) => {
        if ((event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch') onTap(cell);
      }}
      onFocus={() => onFocus(cell)}
      className={classes(
        'h-6 cursor-pointer rounded-[2px] focus-visible:z-10 focus-visible:outline-offset-1',
        part === 1 && 'bg-ink',
        part === 0 && 'bg-track',
        part > 0 && part < 1 && 'bg-ink-3',
      )}
    />
  );
}

/** The week as a small picture, a line a day, beside the words that say it. */
export function WeekPicture({ week }: { week: Week }) {
  const path = week
    .flatMap((spans, day) => spans.map(([from, to]) => `M${from} ${day * 10}H${to}v9H${from}z`))
    .join('');
  return (
    <div className="w-52" aria-hidden="true">
      <svg
        viewBox="0 0 1440 70"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-16 w-full rounded-xs bg-track"
      >
        <path d={path} className="fill-ink" />
      </svg>
      <HourScale every={6} />
    </div>
  );
}

function HourScale({ every = 3 }: { every?: number }) {
  return (
    <div
      aria-hidden="true"
      className="mt-1 grid auto-cols-[minmax(0,1fr)] grid-flow-col text-xs whitespace-nowrap max-sm:text-2xs text-quiet"
    >
      {hours
        .filter((hour) => hour % every === 0)
        .map((hour) => (
          <span key={hour}>{hourText(hour)}</span>
        ))}
    </div>
  );
}

function nextOf(key: string, { day, hour }: Cell): Cell | null {
  const last = hours.length - 1;
  switch (key) {
    case 'ArrowLeft':
      return { day, hour: Math.max(0, hour - 1) };
    case 'ArrowRight':
      return { day, hour: Math.min(last, hour + 1) };
    case 'ArrowUp':
      return { day: Math.max(0, day - 1), hour };
    case 'ArrowDown':
      return { day: Math.min(6, day + 1), hour };
    case 'Home':
      return { day, hour: 0 };
    case 'End':
      return { day, hour: last };
    default:
      return null;
  }
}
