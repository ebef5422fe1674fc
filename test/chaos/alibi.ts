import type { Life } from './crew.ts';
import type { AttemptRow, Evidence } from './evidence.ts';

/** Whether a fault of the harness explains why an attempt is unknown. */
export type Alibi = { excuses(attempt: AttemptRow): boolean };

/** A commit's answer may be lost shortly before the harness records the fault. */
const looseMs = 500;
/** A request that took this part of its timeout only to arrive: the machine was busy, and its answer came too late. */
const slowPart = 0.2;
/** A busy machine with two cores may keep a process from running for this long. */
const hitchMs = 15_000;

export function createAlibi({ lives, troubles, moves, creates, timeoutMs }: Evidence): Alibi {
  const opened = new Map<string, number>();
  for (const move of moves) if (move.kind === 'dialing') opened.set(move.attempt, move.at);
  const byPid = new Map<number, Life[]>();
  for (const life of lives) byPid.set(life.pid, [...(byPid.get(life.pid) ?? []), life]);

  /** The process whose pid is in the dialer's name, as of that moment. */
  const lifeOf = (attempt: AttemptRow, at: number): Life | undefined => {
    const pid = Number(/-(\d+)-[0-9a-f]{8}$/.exec(attempt.dialer ?? '')?.[1]);
    return byPid
      .get(pid)
      ?.find((life) => life.bornAt <= at && (life.diedAt === null || life.diedAt + looseMs > at));
  };

  /** By its own timeout, which is told with it, and the service's time of arrival. */
  const wasSlow = ({ id, phone }: AttemptRow, openedAt: number): boolean => {
    const given = moves.find((move) => move.attempt === id && move.kind === 'unknown');
    const withinMs = Number(/no answer within (\d+) ms/.exec(given?.detail ?? '')?.[1]);
    if (!given || !withinMs) return false;
    const sentAt = given.at - withinMs;
    return creates.some(
      (entry) =>
        entry.phone === phone &&
        entry.at > openedAt &&
        entry.at < given.at &&
        entry.at - sentAt > withinMs * slowPart,
    );
  };

  return {
    excuses(attempt) {
      const at = opened.get(attempt.id);
      if (at === undefined) return false;
      if (wasSlow(attempt, at)) return true;
      const from = at - looseMs;
      const to = at + timeoutMs + hitchMs;
      const life = lifeOf(attempt, at);
      if (!life) return false;
      if (life.diedAt !== null && life.diedAt < to) return true;
      if (life.stops.some((stop) => stop.from < to && (stop.to ?? to) > from)) return true;
      return troubles.some(
        (trouble) => trouble.what !== 'queue' && trouble.from - looseMs < to && trouble.to + looseMs > from,
      );
    },
  };
}
