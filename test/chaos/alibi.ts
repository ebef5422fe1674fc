import type { Life } from './crew.ts';
import type { AttemptRow, Evidence } from './evidence.ts';

/** Whether something that the harness did explains that nobody knows what became of an attempt. */
export type Alibi = { excuses(attempt: AttemptRow): boolean };

/** A commit's answer may be lost a little before the harness notes that it pulled the plug. */
const looseMs = 500;
/** A machine with two cores that runs all of this may keep a process from running so long. */
const hitchMs = 15_000;

export function createAlibi({ lives, troubles, timeoutMs }: Evidence): Alibi {
  const byPid = new Map<number, Life[]>();
  for (const life of lives) byPid.set(life.pid, [...(byPid.get(life.pid) ?? []), life]);

  /** The process whose pid stands in the dialer's name, as it lived at that moment. */
  const lifeOf = (attempt: AttemptRow): Life | undefined => {
    const pid = Number(/-(\d+)-[0-9a-f]{8}$/.exec(attempt.dialer ?? '')?.[1]);
    return byPid
      .get(pid)
      ?.find((life) => life.diedAt === null || life.diedAt + looseMs > (attempt.dialingAt ?? 0));
  };

  return {
    excuses(attempt) {
      if (attempt.dialingAt === null) return false;
      const from = attempt.dialingAt - looseMs;
      const to = attempt.dialingAt + timeoutMs + hitchMs;
      const life = lifeOf(attempt);
      // Whoever aged the attempt by hand has moved it out of every life.
      if (!life) return true;
      if (life.diedAt !== null && life.diedAt < to) return true;
      if (life.stops.some((stop) => stop.from < to && (stop.to ?? to) > from)) return true;
      return troubles.some(
        (trouble) => trouble.what !== 'queue' && trouble.from - looseMs < to && trouble.to + looseMs > from,
      );
    },
  };
}
