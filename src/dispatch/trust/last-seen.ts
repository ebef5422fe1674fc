import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { makeFolder, replaceFile } from '../../base/disk-errors.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Attested, Intent, LossCause, Witnessed } from '../../ledger/lost-history/lost-history.ts';

/**
 * What this process knows of the ledger and the ledger may have lost: the last beat that it acknowledged, in memory and
 * on this machine's disk, and the intents since then. A ledger that lacks what was seen has lost history.
 */
export type LastSeen = {
  name: 'last-seen';
  /** Checks the ledger against what this disk knows; for every process, at its start. */
  begin(): Promise<void>;
  /**
   * Checks the ledger against what this process knows, and adds to it; for a process that dials. `now`: between beats
   * too.
   */
  check(now?: boolean): Promise<void>;
  /** The ledger acknowledged this opening. */
  opened(intent: Intent): void;
  /** Keeps what is known at the end of a process that dialled. */
  close(): Promise<void>;
  /** Why nothing may be dialled; null when the history is whole, as far as it was seen. */
  trouble(): CarillonError | null;
};

type LastSeenDeps = {
  ledger: Pick<Ledger, 'lostHistory'>;
  home: string;
  clock: Clock;
  log: Log;
  /** The server is this machine's own: older data comes there only by `restore`, which says so. */
  isOwnServer?: boolean;
  /** Whether the server had died when it was restarted; by default it must be assumed. */
  died?: (() => boolean) | undefined;
};

const everyMs = 2_000;
/** A beat matters little while nobody is called. */
const idleMs = 30_000;
/** Nobody is called until somebody has vouched for the server. */
const unsureMs = 500;
/**
 * How long a process waits before it vouches, so that others can report what only they know; they look every `everyMs`.
 */
const othersMs = 3_000;
/** The same for a process that knows nothing. */
const graceMs = 5_000;
/** More are not needed: the last beat is a moment old, and what was committed last is lost first. */
const mostIntents = 500;

const kept = z.object({
  ledger: z.uuid(),
  era: z.int(),
  epoch: z.uuid(),
  beat: z.int(),
  at: z.iso.datetime(),
});

export function createLastSeen(deps: LastSeenDeps): LastSeen {
  const { home, clock, log, isOwnServer, died = () => true } = deps;
  const { lostHistory } = deps.ledger;
  let seen: Witnessed | null = null;
  let intents: Intent[] = [];
  let told: Attested | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let beatAt = Number.NEGATIVE_INFINITY;
  let unsureSince: number | null = null;
  let looking: Promise<void> | null = null;
  let unwritable = false;
  let keptEpoch: string | null = null;

  const attest = async (how: { vouches: boolean; beats: boolean; claim?: LossCause | null }) => {
    const sent = intents.length;
    const found = await lostHistory.attest(seen, intents, how);
    if (found.news) tell(found);
    told = found;
    unsureSince = found.verdict === 'unsure' ? (unsureSince ?? clock.monotonic()) : null;
    // Openings that were acknowledged meanwhile came after the beat that was asked about.
    if (found.verdict !== 'sound') return;
    const { ledger, era, epoch, beat } = found;
    if (how.beats || seen?.epoch !== epoch) intents = intents.slice(sent);
    seen = { ledger, era, epoch, beat };
  };

  const tell = (found: Attested) => {
    if (found.news === 'took-over')
      log.warn(
        { before: found.timelineBefore, now: found.timeline },
        'another Postgres took over the ledger, and everything that was acknowledged is there',
      );
    if (found.news === 'restarted' && died())
      log.info('the ledger’s Postgres was started again, and everything that was acknowledged is there');
  };

  const mayVouch = (now: number): boolean => {
    if (seen !== null && isOwnServer) return true;
    return unsureSince !== null && now - unsureSince >= (seen === null ? graceMs : othersMs);
  };

  const look = async () => {
    checkedAt = clock.monotonic();
    const beats = checkedAt - beatAt >= (intents.length > 0 ? everyMs : idleMs);
    await attest({ vouches: mayVouch(checkedAt), beats });
    if (told?.verdict !== 'sound') return;
    if (beats) beatAt = checkedAt;
    if (beats || seen?.epoch !== keptEpoch) keep();
  };

  const keep = () => {
    try {
      keepLastSeen(home, seen!, clock.now());
      keptEpoch = seen!.epoch;
    } catch (error) {
      if (!unwritable)
        log.warn(
          `This process’s last sight of the ledger cannot be kept in ${home}: ${(error as Error).message}`,
        );
      unwritable = true;
    }
  };

  return {
    name: 'last-seen',
    async begin() {
      const { ledger } = await lostHistory.look();
      seen = readLastSeen(home, ledger);
      const claim = wasRestored(home) ? 'restored' : null;
      await attest({ vouches: mayVouch(clock.monotonic()), beats: false, claim });
      if (claim) forgetRestored(home);
      // A command that calls nobody may have made the ledger. The first run must not wait as if others knew more.
      if (isOwnServer && told?.verdict === 'sound') keep();
    },
    check(now = false) {
      const beatMs = unsureSince === null ? everyMs : unsureMs;
      if (!now && clock.monotonic() - checkedAt < beatMs) return looking ?? Promise.resolve();
      looking ??= look().finally(() => {
        looking = null;
      });
      return looking;
    },
    opened(intent) {
      intents.push(intent);
      if (intents.length > mostIntents) intents.shift();
    },
    async close() {
      if (intents.length === 0) return;
      beatAt = Number.NEGATIVE_INFINITY;
      await look().catch(() => undefined);
    },
    trouble() {
      return told?.verdict === 'lost' ? unconfirmed(told) : null;
    },
  };
}

/** The history of this ledger was lost, and a person must confirm it. */
export function unconfirmed({
  why,
  knownUntil,
}: {
  why: LossCause | null;
  knownUntil: Date | null;
}): CarillonError {
  return new CarillonError('ledger-unconfirmed', lossText(why), { remedy: confirmRemedy(knownUntil) });
}

const causes: Record<LossCause, string> = {
  behind: 'it is behind what it had acknowledged',
  intents: 'it lacks calls that it had acknowledged',
  server: 'it is on another server than before',
  copy: 'it is a copy of the ledger that was there before',
  timeline: 'another Postgres took over, and no running process knows what the former one had acknowledged',
  restored: 'it was restored from a backup',
};

export function lossText(why: LossCause | null): string {
  return `The ledger has lost some of its history${why === null ? '' : `: ${causes[why]}`}`;
}

/** People who were called since then are called again, unless they are marked. */
export function confirmRemedy(knownUntil: Date | null): string {
  const since = knownUntil === null ? 'TIME' : knownUntil.toISOString().slice(0, 19).concat('Z');
  return `People whom it called since may be called again: run \`carillon ledger confirm --lost-since ${since}\`, which leaves them to you.`;
}

const folderOf = (home: string) => join(home, 'last-seen');
const pathOf = (home: string, ledger: string) => join(folderOf(home), `${ledger}.json`);

/** Processes of one home share the file. The latest beat is the best; an older one is only weaker. */
function keepLastSeen(home: string, seen: Witnessed, now: number): void {
  const before = readLastSeen(home, seen.ledger);
  if (before?.epoch === seen.epoch && before.beat >= seen.beat) return;
  makeFolder(folderOf(home), 0o700);
  const text = `${JSON.stringify({ ...seen, at: new Date(now).toISOString() })}\n`;
  replaceFile(pathOf(home, seen.ledger), text);
}

function readLastSeen(home: string, ledger: string): Witnessed | null {
  try {
    const { at, ...seen } = kept.parse(JSON.parse(readFileSync(pathOf(home, ledger), 'utf8')));
    return seen;
  } catch {
    return null;
  }
}

/** `carillon restore` leaves this file next to the data: on a new machine no process has seen more than the backup. */
const restoredFile = 'ledger.restored';

export const noteRestored = (home: string, text: string) => replaceFile(join(home, restoredFile), text);

export const wasRestored = (home: string) => existsSync(join(home, restoredFile));
const forgetRestored = (home: string) => rmSync(join(home, restoredFile), { force: true });
