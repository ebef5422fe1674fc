import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Intent } from '../../ledger/lost-history/lost-history.ts';
import type { WrittenPolicy } from '../../ledger/policies/policies.ts';
import type { LastSeen } from './last-seen.ts';
import type { SameKeys } from './same-keys.ts';

/**
 * Whether this process may dial: only on a ledger whose history is whole, by the contact rules in force, with the same
 * keys as the others, knowing who was erased, and with a clock that is about right. Hours are judged by the ledger's
 * time.
 */
export type DialPermit = {
  /** Puts the rules of this process's file in force; for a process that dials, at its start. */
  enforce(): Promise<void>;
  /** This process dials from now on, and others compare their keys with its own. */
  join(): Promise<void>;
  /** Reads the rules in force, the ledger's clock and its history. */
  refresh(): Promise<void>;
  /** The same, unless it was done a moment ago; called before a process that was at rest dials. */
  fresh(): Promise<void>;
  /** The same, at once: the ledger's server was restarted, and nobody has vouched for it. */
  vouch(): Promise<void>;
  /** The ledger acknowledged this opening. */
  opened(intent: Intent): void;
  /** Why this process must not dial; null when it may. */
  trouble(): CarillonError | null;
  /** The ledger read this time after `askedAt` by this machine's clock, and before now. */
  heard(ledgerAt: Date, askedAt: number): void;
  /** The ledger's time. */
  now(): number;
  /** How far this machine's clock is ahead of the ledger's; 0 when that is less than can be measured. */
  aheadMs(): number;
};

type DialPermitDeps = {
  ledger: Pick<Ledger, 'policies' | 'activity' | 'erasures'>;
  /** The file that CARILLON_POLICY names; null follows the ledger. */
  file: WrittenPolicy | null;
  /** What this process last saw of the ledger; without it, it knows nothing. */
  lastSeen?: LastSeen;
  /** Compares its keys with those of the others; by default nothing is compared. */
  sameKeys?: SameKeys;
  /** Tells the ledger the VOICE_MAX_COST of this process, while it dials; by default it has none. */
  keepBudget?: (() => Promise<unknown>) | undefined;
  clock: Clock;
  log: Log;
};

/** A clock that is off by more than the first is reported; by more than the second it stops dialling. */
export const clockTellMs = 5_000;
export const clockStopMs = 60_000;
/** A process at work looks more often than this. */
const freshMs = 5_000;

export function createDialPermit({
  ledger,
  file,
  lastSeen,
  sameKeys,
  keepBudget,
  clock,
  log,
}: DialPermitDeps): DialPermit {
  const { policies, erasures } = ledger;
  let offsetMs = 0;
  let enforced = false;
  let dials = false;
  /** The state last reported, so that each change is reported once. */
  let told: { trouble: string | null; drifts: boolean } = { trouble: null, drifts: false };

  const differs = (): CarillonError | null => {
    const inForce = policies.version();
    if (!file || !enforced || inForce?.digest === file.digest) return null;
    const version = inForce ? `version ${inForce.version}, from ${sourceText(inForce.source)}` : 'none';
    return new CarillonError(
      'policy-differs',
      `The contact rules of this process's CARILLON_POLICY are not the ones in force (${version})`,
    );
  };
  const trouble = (): CarillonError | null => {
    const lost = lastSeen?.trouble() ?? null;
    if (lost) return lost;
    if (Math.abs(offsetMs) > clockStopMs) return new CarillonError('clock-off', clockText(-offsetMs));
    return policies.unreadable() ?? differs() ?? sameKeys?.trouble() ?? erasures.trouble();
  };
  const tell = () => {
    const now = trouble();
    if (now && now.message !== told.trouble) log.error(`${now.message}: nothing is dialled. ${now.remedy}`);
    if (!now && told.trouble !== null) log.info('this process dials again');
    const drift = driftLine(-offsetMs);
    if (drift && !told.drifts && !now) log.warn(drift);
    told = { trouble: now?.message ?? null, drifts: drift !== null };
  };

  const heard = (ledgerAt: Date, askedAt: number) => {
    // The ledger was read at some point between question and answer, so the old offset stays if it fits.
    const [least, most] = [ledgerAt.getTime() - clock.now(), ledgerAt.getTime() - askedAt];
    offsetMs = Math.min(Math.max(offsetMs, least), Math.max(least, most));
  };
  let looking: Promise<void> | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    const askedAt = clock.now();
    heard(await policies.refresh(), askedAt);
    await lastSeen?.check();
    await sameKeys?.look();
    if (dials) await keepBudget?.();
    await erasures.look();
    lookedAt = clock.monotonic();
    tell();
  };
  const refresh = () => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };

  return {
    async enforce() {
      if (file) {
        const { made, version } = await policies.set(file, 'file');
        if (made) {
          const after = { version, source: 'file', body: file.body };
          await ledger.activity.record({ verb: 'policy.set', after });
          log.info({ version }, 'the contact rules of CARILLON_POLICY are in force');
        }
        policies.assume(null);
        enforced = true;
      }
      await refresh();
    },
    async join() {
      sameKeys?.join();
      dials = true;
      // A look that is already in progress may not know it yet.
      await looking;
      await refresh();
    },
    refresh,
    async fresh() {
      if (clock.monotonic() - lookedAt > freshMs) await refresh();
    },
    vouch: async () => lastSeen?.check(true),
    opened: (intent) => lastSeen?.opened(intent),
    trouble,
    heard,
    now: () => clock.now() + offsetMs,
    aheadMs: () => (Math.abs(offsetMs) < 1 ? 0 : -offsetMs),
  };
}

/** Null while the two clocks are near enough. */
export function driftLine(aheadMs: number): string | null {
  return Math.abs(aheadMs) > clockTellMs ? `${clockText(aheadMs)}. Synchronise both with NTP.` : null;
}

function clockText(aheadMs: number): string {
  const way = aheadMs > 0 ? 'ahead of' : 'behind';
  return `This machine's clock is ${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${way} the ledger's`;
}

function sourceText(source: 'file' | 'api'): string {
  return source === 'file' ? 'another file' : 'the API';
}
