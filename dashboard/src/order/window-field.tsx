import type { ReactNode } from 'react';
import type { Pack } from '../api/ask.ts';
import { Mark, OutcomeMark } from '../kit/basics.tsx';
import { Chip } from '../kit/filter.tsx';
import { TextField } from '../kit/form.tsx';
import { clocksOf, placeOf } from '../kit/their-time.tsx';
import { Time, useNow } from '../kit/values.tsx';
import { classes, hourText, timeOfDay } from '../kit/words.ts';
import { hoursOf, regionOf, useHoursInForce, wholeOf } from './rules.ts';
import {
  clock,
  clockOf,
  dayNames,
  type Line,
  lineWords,
  readWeek,
  spansOn,
  weekText,
  within,
} from './week.ts';

/** The hours of an order: each line has the days that share hours, and a band of the day with the legal hours behind. */
type WindowProps = {
  window: string;
  error?: string | undefined;
  onChange(window: string): void;
  /** Legal hours that are not in force yet, and what puts them in force. */
  proposed?: Pack | undefined;
  /** Where the people are, the most people first; without them "now" is the viewer's. */
  zones?: readonly string[] | undefined;
  act?: ReactNode;
};

const usual: Line = { days: [0, 1, 2, 3, 4, 5, 6], spans: [[540, 1200]] };
const anyHour: Line = { ...usual, spans: [[0, 1440]] };

export function WindowField({ window, error, onChange, proposed, zones = [], act }: WindowProps) {
  const inForce = useHoursInForce();
  const legal = inForce?.[0] ?? proposed;
  const isAny = window.trim() === '';
  const present = useNow();
  const now = clocksOf(zones, present).slice(0, mostClocks);
  const lines = readWeek(window);
  if (!lines?.every(({ spans }) => spans.length === 1)) {
    return (
      <TextField
        label="Hours, as text"
        value={window}
        onChange={({ target }) => onChange(target.value)}
        spellCheck={false}
        error={error}
        help="Such as mon-fri=09:00-20:00,sat=10:00-12:00+14:00-16:00."
      />
    );
  }
  const set = (changed: readonly Line[]) => {
    const held = changed.filter(({ days }) => days.length > 0);
    if (held.length > 0) onChange(weekText(held));
  };
  const without = (days: readonly number[]): Line[] =>
    lines.map((line) => ({ ...line, days: line.days.filter((day) => !days.includes(day)) }));
  const free = usual.days.filter((day) => !lines.some(({ days }) => days.includes(day)));
  const others = free.length > 0 ? free : lines.length === 1 ? [5, 6] : [];
  return (
    <div className="max-w-2xl space-y-3">
      {!isAny &&
        lines.map((line, at) => (
          <HoursLine
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has its place only.
            key={at}
            line={line}
            onChange={(changed) => set(without(changed.days).with(at, changed))}
          >
            <DayBand own={[line]} legal={legal} day={line.days[0]} zones={zones} />
          </HoursLine>
        ))}
      {isAny && <DayBand own={lines} legal={legal} zones={zones} />}
      <p className="flex flex-wrap gap-x-4 text-xs text-quiet [&>span]:inline-flex [&>span]:items-center [&>span]:gap-1.5">
        <span>
          <i className="size-2 rounded-xs bg-ink" />
          your hours
        </span>
        {legal && (
          <span>
            <i className="size-2 rounded-xs bg-good-fill/40" />
            {hoursOf(legal)}, the rules of {regionOf(legal)}
            {!inForce?.[0] && ', proposed'}
          </span>
        )}
        <span>
          <i className="h-3 w-0.5 bg-live-fill" />
          now, {now.map(({ text, zone }) => `${text} in ${placeOf(zone)}`).join(', ')}
          {now.length === 0 && (
            <>
              <Time at={present} clock /> here
            </>
          )}
        </span>
      </p>
      {error && <p className="text-sm text-bad">{error}</p>}
      {inForce && (
        <div role="status" className="space-y-1">
          {judged(lines, inForce, isAny).map(([isWithin, text]) => (
            <p key={text} className={classes('flex items-center gap-2', !isWithin && isAny && 'text-warn')}>
              <Mark shape={isWithin ? 'check' : 'up'} className={isWithin ? 'text-good' : 'text-warn'} />
              {text}
              {inForce.length === 0 && act}
            </p>
          ))}
        </div>
      )}
      <div className="flex flex-wrap gap-4 text-sm text-quiet">
        {!isAny && others.length > 0 && (
          <button
            type="button"
            className="link"
            onClick={() => set([...without(others), { days: others, spans: [[600, 960]] }])}
          >
            Other hours on other days
          </button>
        )}
        <button
          type="button"
          className="link inline-flex items-center gap-1.5 sm:ml-auto"
          onClick={() => set([isAny ? usual : anyHour])}
        >
          {!isAny && <OutcomeMark state="warning" />}
          {isAny ? 'Only some hours' : 'Any hour, at night too'}
        </button>
      </div>
    </div>
  );
}

type LineProps = { line: Line; onChange(line: Line): void; children: ReactNode };

function HoursLine({ line, onChange, children }: LineProps) {
  const { days, spans } = line;
  const span = spans[0]!;
  const time = (label: string, at: 0 | 1) => (
    <input
      type="time"
      aria-label={label}
      className="min-h-8 rounded-md border border-line-strong bg-card px-2"
      value={clock(span[at] % 1440)}
      onChange={({ target }) => {
        const minutes = target.valueAsNumber / 60_000;
        const typed = span.with(at, at === 1 && minutes === 0 ? 1440 : minutes) as [number, number];
        // Half typed, or nobody would be called.
        if (target.value !== '' && typed[0] !== typed[1]) onChange({ ...line, spans: [typed] });
      }}
    />
  );
  return (
    <fieldset aria-label={lineWords(line)} className="space-y-3">
      <div className="flex flex-wrap items-center gap-2">
        {dayNames.map((name, day) => (
          <Chip
            key={name}
            label={
              <>
                {days.includes(day) && <Mark shape="check" size={10} className="max-sm:hidden" />}
                {name.slice(0, 3)}
              </>
            }
            on={days.includes(day)}
            onClick={() => {
              const now = usual.days.filter((each) => days.includes(each) !== (each === day));
              onChange({ ...line, days: now });
            }}
          />
        ))}
      </div>
      <p className="flex flex-wrap items-center gap-2.5">
        Call from {time('From', 0)} to {time('To', 1)} in the person’s own time
      </p>
      {children}
    </fieldset>
  );
}

/** What the contact rules make of the hours, for the people whom they bind. */
function judged(lines: readonly Line[], packs: readonly Pack[], isAny: boolean): [boolean, string][] {
  if (packs.length === 0) {
    const rest = isAny ? 'people are called at night too' : 'only your hours hold';
    return [[false, `No contact rules are in force: ${rest}.`]];
  }
  const all = weekText(within(lines, [anyHour]));
  return packs.map((pack) => {
    const left = within(lines, readWeek(wholeOf(pack)) ?? []);
    const who = `for people in ${regionOf(pack)}`;
    if (weekText(left) === all) return [true, `Your hours are within the rules ${who}.`];
    return [false, `The rules cut them to ${left.map(lineWords).join('; ') || 'nothing'} ${who}.`];
  });
}

type BandProps = {
  own?: readonly Line[];
  legal?: Pack | undefined;
  day?: number | undefined;
  /** Those in whose day "now" is marked. */
  zones?: readonly string[];
};

/** So many clocks are told apart; a list may be of a whole continent. */
const mostClocks = 4;

export function DayBand({ own = [], legal, day = 0, zones = [] }: BandProps) {
  const now = useNow();
  const clocks = clocksOf(zones, now).map(({ zone }) => clockOf(zone));
  const marks = (clocks.length > 0 ? clocks : [clockOf()]).slice(0, mostClocks).map((clock) => clock(now));
  const bars = (lines: readonly Line[], look: string) =>
    spansOn(lines, day).map(([from, to]) => (
      <span
        key={from}
        className={classes('absolute inset-y-0 rounded-sm', look)}
        style={{ left: `${from / 14.4}%`, width: `${(to - from) / 14.4}%` }}
      />
    ));
  const [only, ...others] = spansOn(own, day);
  const ends = only && others.length === 0 && only[1] - only[0] < 1_440 ? only : [];
  return (
    <span aria-hidden="true" className="block">
      <span className="relative block h-3.5 rounded-sm bg-track">
        {legal && bars(readWeek(wholeOf(legal)) ?? [], 'bg-good-fill/40')}
        {bars(own, 'bg-ink')}
        {marks
          .filter(([today]) => own.some(({ days }) => days.includes(today)))
          .map(([, at]) => (
            <span
              key={at}
              className="absolute -inset-y-1 w-0.5 bg-live-fill"
              style={{ left: `${at / 14.4}%` }}
            />
          ))}
      </span>
      <span className="relative mt-0.5 block h-4 text-2xs text-quiet">
        {[0, 360, 720, 1080, 1440]
          .filter((at) => ends.every((end) => Math.abs(end - at) >= 150))
          .map((at) => (
            <Tick key={at} at={at} />
          ))}
        {ends.map((end) => (
          <b key={end} className="font-semibold text-text">
            <Tick at={end} />
          </b>
        ))}
      </span>
    </span>
  );
}

function Tick({ at }: { at: number }) {
  const place = at === 0 ? '' : at === 1_440 ? '-translate-x-full' : '-translate-x-1/2';
  return (
    <span className={classes('absolute whitespace-nowrap', place)} style={{ left: `${at / 14.4}%` }}>
      {at % 60 === 0 ? hourText(at / 60) : timeOfDay(at)}
    </span>
  );
}
