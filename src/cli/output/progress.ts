import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { oneLine } from '../../base/terminal-safe.ts';
import { needsPerson } from '../../rules/standstill.ts';
import type { Look } from '../../run/drive.ts';
import { seenWidth, type TerminalStream, widthOf, wrapLine } from '../terminal/wrap.ts';
import type { Outlook } from './outlook.ts';
import { middleLeft, untilText, waitsLine } from './outlook-words.ts';
import { count, duration, outcomeWords } from './summary.ts';

/** The progress of a run: a display on a terminal, plain lines elsewhere. */
export type Progress = {
  show(look: Look): void;
  /** Clears the display before a line is written; the next state is drawn below it. */
  clear(): void;
  /** Leaves the last state on the screen, with the cursor below it. */
  end(): void;
};

type ProgressOptions = {
  screen: TerminalStream;
  /** Requests a second that each lane may send now, as far as known, by lane id. */
  limits(): { rate: number; learned: boolean };
  /** When it will end and why rows wait, as last read; null before that. */
  outlook(): Outlook | null;
  now(): number;
  plainEveryMs?: number;
};

type Sample = { at: number; requests: number; finished: number };
const memoryMs = 20_000;
/** A recipient who is due and was not dialled for this long is outside its window. */
const quietMs = 3_000;

export function createProgress(options: ProgressOptions): Progress {
  const { screen, now } = options;
  const paint = createPaint(screen);
  const samples: Sample[] = [];
  let drawn: string[] = [];
  let plainAt = Number.NEGATIVE_INFINITY;
  let plainLast = '';

  const remember = ({ standing }: Look): Sample => {
    const { counts } = standing;
    const finished = counts.done + counts.unknown + counts.skipped + counts.rejected;
    const sample = { at: now(), requests: standing.requests, finished };
    samples.push(sample);
    while (samples.length > 2 && sample.at - samples[0]!.at > memoryMs) samples.shift();
    return samples[0]!;
  };

  /** Moves back to where the drawing began, and clears what is below. */
  const back = () => {
    const width = widthOf(screen);
    // A terminal that became narrower has broken the lines: they take more rows than were written.
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(seenWidth(line) / width)), 0);
    return rows > 0 ? `\x1b[${rows}A\x1b[J` : '';
  };

  return {
    show(look) {
      const first = remember(look);
      const moved = samples.findLast((each) => each.requests !== look.standing.requests) ?? first;
      const view = viewOf(look, first, now() - moved.at > quietMs, options);
      if (screen.isTTY) {
        const width = widthOf(screen);
        const lines = drawLines(view, Number.isFinite(width) ? width - 1 : 79, paint);
        screen.write(`${back()}${lines.map((line) => `${line}\n`).join('')}`);
        drawn = lines;
        return;
      }
      const line = plainLine(view);
      if (now() - plainAt < (options.plainEveryMs ?? 5_000) || line === plainLast) return;
      plainAt = now();
      plainLast = line;
      screen.write(`${line}\n`);
    },
    clear() {
      if (drawn.length > 0) screen.write(back());
      drawn = [];
    },
    end() {
      drawn = [];
    },
  };
}

type View = {
  name: string;
  rows: number;
  finished: number;
  counts: Look['standing']['counts'];
  outcomes: string;
  perSecond: number;
  limit: string;
  left: string;
  note: string;
};

function viewOf(look: Look, first: Sample, quiet: boolean, options: ProgressOptions): View {
  const { standing } = look;
  const { counts } = standing;
  const finished = counts.done + counts.unknown + counts.skipped + counts.rejected;
  const seconds = (options.now() - first.at) / 1_000;
  const perSecond = seconds > 0 ? Math.max(0, standing.requests - first.requests) / seconds : 0;
  const pace = seconds > 1 ? (finished - first.finished) / seconds : 0;
  const missing = standing.rows - finished;
  const { rate, learned } = options.limits();
  const outlook = options.outlook();
  return {
    name: oneLine(standing.campaign),
    rows: standing.rows,
    finished,
    counts,
    outcomes: oneLine(outcomeWords(standing.outcomes)),
    perSecond,
    limit: `${rate >= 10 ? Math.round(rate) : rate.toFixed(1)}/s${learned ? ' learned' : ''}`,
    // While nothing moves, the earlier pace says nothing.
    left: leftOf(look, missing, quiet ? 0 : pace, outlook, options.now()),
    note: oneLine(noteOf(look, quiet, outlook, options.now())),
  };
}

/**
 * When only calls in progress are left, nobody can tell how long people talk. The pace is used until there is a
 * forecast.
 */
function leftOf(
  { standing: { counts, state } }: Look,
  missing: number,
  pace: number,
  outlook: Outlook | null,
  now: number,
): string {
  if (missing === 0) return 'finished';
  if (missing === counts.calling) return `${count(missing)} still on the line`;
  const told = outlook?.forecast && state === 'running' ? middleLeft(outlook.forecast, now) : null;
  if (told !== null) return `about ${told} left`;
  return pace > 0 ? `about ${duration(missing / pace)} left` : '';
}

/** Why nothing moves, or less than usual. */
function noteOf(look: Look, quiet: boolean, outlook: Outlook | null, now: number): string {
  const { standing, lanes } = look;
  if (standing.state === 'paused') return `paused${standing.reason ? `: ${standing.reason}` : ''}`;
  const unpaid = lanes.filter((lane) => lane.state === 'out_of_credit');
  if (unpaid.length > 0) {
    const probe = unpaid[0]!.probeAt ? `; next probe ${untilText(unpaid[0]!.probeAt, now)}` : '';
    const cost = outlook?.forecast?.cost;
    const needed = cost ? `; the rest costs about ${cost}` : '';
    return `no credit on ${unpaid.map((lane) => lane.name).join(', ')}${probe}${needed}`;
  }
  const failing = lanes.filter((lane) => lane.state === 'failing');
  if (failing.length > 0) {
    const probe = failing[0]!.probeAt ? `; next probe ${untilText(failing[0]!.probeAt, now)}` : '';
    return `${failing.map((lane) => lane.name).join(', ')}: service failing, ${failing[0]!.reason}${probe}`;
  }
  const denied = lanes.filter((lane) => lane.state === 'denied');
  if (denied.length > 0) return `key not accepted: ${denied.map((lane) => lane.name).join(', ')}`;
  if (standing.redials > 0 && standing.redials === standing.counts.unknown) {
    const { waiting, queued, calling } = standing.counts;
    if (waiting + queued + calling === 0) return `${count(standing.redials)} unknown will be redialled soon`;
  }
  if (standing.counts.waiting === 0 || standing.counts.queued + standing.counts.calling > 0) return '';
  const still = outlook?.standstill;
  const stands = still && needsPerson(still) && `${still.message}. ${still.act.replaceAll('`', '')}`;
  const waits = outlook?.waits ?? [];
  const onlyTurns = waits.every(({ reason }) => reason === 'rate');
  return [(quiet || !onlyTurns) && waitsLine(waits, now), stands].filter(Boolean).join('; ');
}

/** No line is wider than the screen: a redrawn line must be where it was written. */
function drawLines(v: View, width: number, paint: Paint): string[] {
  const share = v.rows === 0 ? 1 : v.finished / v.rows;
  const tail = [`${percent(share)}`, `${count(v.finished)}/${count(v.rows)}`, v.left]
    .filter(Boolean)
    .join('  ');
  const beside = width - tail.length - 1;
  const room = Math.min(50, beside >= leastBar ? beside : width);
  const full = Math.floor(share * room);
  const bar = paint('green', '█'.repeat(full)) + paint('dim', '░'.repeat(room - full));
  const states = (['waiting', 'queued', 'calling', 'parked', 'unknown', 'rejected', 'skipped'] as const)
    .filter((name) => v.counts[name] > 0 || name === 'calling')
    .map((name): Part => [`${name} ${count(v.counts[name])}`, colours[name]]);
  const pace: Part = [`${v.perSecond.toFixed(1)} requests/s of ${v.limit} `, undefined];
  return [
    ...(beside >= leastBar ? [`${bar} ${tail}`] : [bar, ...wrapLine(tail, width)]),
    ...inRows([pace, ...states], width, paint),
    ...wrapLine(v.outcomes ? `outcomes: ${v.outcomes}` : 'outcomes: none yet', width),
    ...wrapLine(v.note, width).map((line) => paint('yellow', line)),
  ];
}

/** A shorter bar says nothing. */
const leastBar = 10;

/** Words that stay together, and their colour. */
type Part = readonly [text: string, colour: Colour | undefined];

function inRows(parts: readonly Part[], width: number, paint: Paint): string[] {
  const rows: Part[][] = [[]];
  for (const part of parts) {
    const row = rows.at(-1)!;
    const taken = row.reduce((sum, [text]) => sum + text.length + 2, 0);
    if (row.length > 0 && taken + part[0].length > width) rows.push([part]);
    else row.push(part);
  }
  return rows.map((row) =>
    row
      .map(([text, colour]) => paint(colour, text))
      .join('  ')
      .trimEnd(),
  );
}

const colours: Partial<Record<keyof View['counts'], Colour>> = {
  calling: 'cyan',
  parked: 'yellow',
  unknown: 'red',
  rejected: 'red',
};

function plainLine(v: View): string {
  const states = (['waiting', 'queued', 'calling', 'parked', 'unknown'] as const)
    .filter((name) => v.counts[name] > 0)
    .map((name) => `${name} ${v.counts[name]}`);
  const parts = [
    `${v.finished}/${v.rows} ${percent(v.finished / Math.max(1, v.rows))}`,
    `${v.perSecond.toFixed(1)} requests/s of ${v.limit}`,
  ];
  if (states.length > 0) parts.push(states.join(' '));
  if (v.outcomes) parts.push(v.outcomes);
  if (v.left) parts.push(v.left);
  if (v.note) parts.push(v.note);
  return parts.join(' | ');
}

/** Rounded down: 100 % means that nothing is left. */
function percent(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

/**
 * The one place where text gets a colour. Node decides whether the screen shows it: it honours `NO_COLOR` and
 * `FORCE_COLOR`, and output that is not a terminal gets plain text.
 */
type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim';
/** The text stays as it is if it is empty or has no colour. */
type Paint = (colour: Colour | undefined, text: string) => string;

function createPaint(screen: Writable): Paint {
  // One colour at a time: given a list of them, Node 20 does not ask the screen.
  return (colour, text) => (colour && text ? styleText(colour, text, { stream: screen }) : text);
}
