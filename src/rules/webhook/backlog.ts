import { type AddressState, createAddress, type SendEnd, waitAfter } from './standing.ts';

/**
 * The events that one address is to be sent, and when. Events about one person or thing form a line: one at a time, in
 * order. An event that is not taken blocks its line only.
 */
export type Listed<E> = { number: number; line: string; event: E };

/** The next event of a line, to be sent now; null if only its number was kept. `tries` includes this one. */
export type DueEvent<E> = { number: number; line: string; event: E | null; tries: number; probe: boolean };

/** An event that is kept by its number while its line waits. Only the first of a line has tries and times. */
export type BlockedNumber = {
  number: number;
  line: string;
  tries: number;
  since: number | null;
  nextAt: number | null;
};

/** The changes since the last time it was asked, to be stored. */
type BacklogChanges = AddressState & { cursor: number; gone: number[]; blocked: BlockedNumber[] };

export type Backlog<E> = {
  /** How many more events it can take. */
  wants(): number;
  /** The number up to which it was given events. */
  readTo(): number;
  /** Takes events in order. `upto`: all wanted events up to this number are among them or came before. */
  take(events: readonly Listed<E>[], upto: number): void;
  /** The event to send now; it is under way until `ended` or `undo`. */
  next(now: number): DueEvent<E> | null;
  /** When the next event is due that is not due now; null when none is known. */
  nextAt(): number | null;
  /** Returns true when the event is given up: others were taken meanwhile, and it never was. */
  ended(due: DueEvent<E>, end: SendEnd, now: number): boolean;
  /** It was not sent after all. */
  undo(due: DueEvent<E>): void;
  /** The event does not exist any more. */
  missing(due: DueEvent<E>): void;
  changes(): BacklogChanges;
  state(): AddressState;
};

type Wait = { tries: number; since: number | null; nextAt: number; lastAt: number; rushes: number };

type Line<E> = {
  name: string;
  numbers: number[];
  events: Map<number, E>;
  busy: boolean;
  /** Set while its first event waits to be sent again. */
  wait: Wait | null;
};

/** Events that were read and not yet delivered or blocked. */
const mostOpen = 500;
/** The most blocked events: beyond this, nothing new is read until some are delivered or given up. */
const mostBlocked = 10_000;
/** This many blocked events are enough to ask a failing address with in turn. */
const mostAsked = 100;
/** Caps the extra retries that an event which keeps failing gets when others are delivered. */
const mostRushes = 5;

export function createBacklog<E>(start: {
  cursor: number;
  state: AddressState;
  blocked: readonly BlockedNumber[];
}): Backlog<E> {
  const lines = new Map<string, Line<E>>();
  const ready = new Set<Line<E>>();
  const waiting = new Set<Line<E>>();
  /** Numbers in ascending order that were read, and neither delivered nor blocked. */
  const open = new Set<number>();
  /** Numbers that are held back, whatever becomes of their line meanwhile. */
  const kept = new Set<number>();
  const gone = new Set<number>();
  const changed = new Map<number, Line<E>>();
  const address = createAddress(start.state);
  let readTo = start.cursor;
  /** Deliveries that were blocked in an earlier process wait for a first success too. */
  let doubted = start.blocked.length > 0;

  const lineOf = (name: string): Line<E> => {
    let line = lines.get(name);
    if (!line) {
      line = { name, numbers: [], events: new Map(), busy: false, wait: null };
      lines.set(name, line);
    }
    return line;
  };

  for (const { number, line: name, tries, since, nextAt } of start.blocked) {
    const line = lineOf(name);
    line.numbers.push(number);
    kept.add(number);
    line.wait ??= { tries, since, nextAt: nextAt ?? 0, lastAt: 0, rushes: 0 };
    waiting.add(line);
  }

  const keep = (line: Line<E>, number: number) => {
    changed.set(number, line);
    gone.delete(number);
    kept.add(number);
    open.delete(number);
    line.events.delete(number);
  };

  const drop = (line: Line<E>) => {
    const number = line.numbers.shift()!;
    line.events.delete(number);
    open.delete(number);
    changed.delete(number);
    if (kept.delete(number)) gone.add(number);
    line.wait = null;
    if (line.numbers.length > 0) ready.add(line);
    else lines.delete(line.name);
  };

  /** The address takes events again, so those that wait are sent at once. */
  const rush = (now: number, afterOutage: boolean) => {
    for (const { wait } of waiting) {
      if (!wait || wait.rushes >= mostRushes) continue;
      wait.rushes += 1;
      wait.nextAt = now;
      // The tries so far were the address's, not the event's.
      if (afterOutage) Object.assign(wait, { tries: 0, since: null });
    }
  };

  const block = (line: Line<E>, now: number): boolean => {
    line.wait ??= { tries: 0, since: now, nextAt: 0, lastAt: now, rushes: 0 };
    const wait = line.wait;
    wait.tries += 1;
    wait.since ??= now;
    wait.lastAt = now;
    const waitMs = waitAfter(wait.tries, now - wait.since);
    // An address that takes none is given up as a whole.
    if (waitMs === null && address.state().state === 'active') {
      drop(line);
      return true;
    }
    wait.nextAt = now + (waitMs ?? 0);
    for (const number of line.numbers) if (!kept.has(number)) keep(line, number);
    changed.set(line.numbers[0]!, line);
    waiting.add(line);
    return false;
  };

  const choose = (now: number): Line<E> | undefined => {
    const [fresh] = ready;
    if (address.state().state === 'active') {
      for (const line of waiting) if (line.wait!.nextAt <= now) return line;
      return fresh;
    }
    if (!address.mayProbe(now, fresh !== undefined)) return undefined;
    // Takes one that was never tried, else the one not tried for the longest time: a single event must not stand for
    // the address.
    return fresh ?? [...waiting].sort((a, b) => a.wait!.lastAt - b.wait!.lastAt)[0];
  };

  return {
    wants() {
      const { state } = address.state();
      if (state === 'resting' || kept.size >= mostBlocked) return 0;
      if (state === 'failing') return ready.size > 0 || kept.size >= mostAsked ? 0 : 1;
      return Math.max(0, mostOpen - open.size);
    },
    readTo: () => readTo,

    take(events, upto) {
      for (const { number, line: name, event } of events) {
        const line = lineOf(name);
        line.numbers.push(number);
        if (line.wait) keep(line, number);
        else {
          open.add(number);
          line.events.set(number, event);
          if (!line.busy) ready.add(line);
        }
      }
      readTo = Math.max(readTo, upto);
    },

    next(now) {
      const line = choose(now);
      if (!line) return null;
      ready.delete(line);
      waiting.delete(line);
      line.busy = true;
      const probe = address.began();
      const number = line.numbers[0]!;
      const tries = (line.wait?.tries ?? 0) + 1;
      return { number, line: line.name, event: line.events.get(number) ?? null, tries, probe };
    },

    nextAt() {
      const { state, nextAt } = address.state();
      if (state === 'resting') return null;
      if (state === 'failing') return nextAt;
      return [...waiting].reduce<number | null>(
        (least, { wait }) => Math.min(least ?? Number.POSITIVE_INFINITY, wait!.nextAt),
        null,
      );
    },

    ended(due, end, now) {
      const line = lines.get(due.line)!;
      line.busy = false;
      if (!end.ok) {
        address.failed(due, end, now);
        return block(line, now);
      }
      drop(line);
      const recovery = address.took(now);
      if (recovery !== null || doubted) rush(now, recovery === 'outage');
      doubted = false;
      return false;
    },

    undo({ line: name, probe }) {
      const line = lines.get(name)!;
      line.busy = false;
      address.undo(probe);
      if (line.wait) waiting.add(line);
      else ready.add(line);
    },

    missing({ line: name, probe }) {
      const line = lines.get(name)!;
      line.busy = false;
      address.undo(probe);
      drop(line);
    },

    changes() {
      const [first] = open;
      const blocked = [...changed].map(([number, line]): BlockedNumber => {
        const isFirst = line.numbers[0] === number && line.wait !== null;
        const { tries, since, nextAt } = isFirst ? line.wait! : { tries: 0, since: null, nextAt: null };
        return { number, line: line.name, tries, since, nextAt };
      });
      const told = {
        ...address.state(),
        cursor: first === undefined ? readTo : first - 1,
        gone: [...gone],
        blocked,
      };
      gone.clear();
      changed.clear();
      return told;
    },
    state: () => address.state(),
  };
}
