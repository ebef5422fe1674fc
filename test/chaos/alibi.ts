import type { Life } from './crew.ts';
import type { AttemptRow, Evidence } from './evidence.ts';

/** Whether a fault of the harness explains why an attempt is unknown. */
export type Alibi = { excuses(attempt: AttemptRow): boolean };

/** A commit's answer may be lost shortly before the harness records the fault. */
const looseMs = 500;
/** A busy machine with two cores may keep a process from running for this long. */
const hitchMs = 15_000;

export function createAlibi({ lives, troubles, moves, timeoutMs }: Evidence): Alibi {
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

  return {
    excuses(attempt) {
      const at = opened.get(attempt.id);
      if (at === undefined) return false;
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
