import { hostname } from 'node:os';
import type { Config } from '../base/config/config.ts';
import { createSeal } from '../base/seal.ts';
import { knownSecret } from '../base/secret.ts';
import type { Rounds } from '../base/stuck-loops.ts';
import { version } from '../base/version.ts';
import type { DialPermit } from '../dispatch/trust/dial-permit.ts';
import type { SameKeys } from '../dispatch/trust/same-keys.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ledger } from '../ledger/ledger.ts';

/**
 * Tells the ledger that this process is alive, what it does and how it is, so that each process can show all of them.
 */
type ReportDeps = {
  ledger: Pick<Ledger, 'processes'>;
  engine: Pick<Engine, 'kind'>;
  rounds: Pick<Rounds, 'ages'>;
  config: Pick<Config, 'secret' | 'home'>;
  sameKeys: Pick<SameKeys, 'marks'>;
  permit: Pick<DialPermit, 'aheadMs' | 'trouble'>;
  /** False while it must not dial: without another trouble, its disk takes nothing. */
  isFit?: () => boolean;
  clock: { now(): number };
  /** The process's id on the attempts that it opens. */
  dialer: string;
};

export type Reporter = { report(): Promise<void>; leave(): Promise<void> };

export function createReporter(deps: ReportDeps, parts: readonly string[]): Reporter {
  const { ledger, engine, rounds, permit, sameKeys, config, dialer: id } = deps;
  const startedAt = new Date(deps.clock.now());
  return {
    report: async () =>
      ledger.processes.report({
        id,
        host: hostname(),
        pid: process.pid,
        version,
        node: process.versions.node,
        parts: [...parts],
        queue: engine.kind,
        keys: await sameKeys.marks(),
        secret: markOf(config),
        loops: rounds.ages().map(({ name, ageMs, stuck }) => ({ name, age_ms: Math.round(ageMs), stuck })),
        clockAheadMs: Math.round(permit.aheadMs()),
        trouble: permit.trouble()?.code ?? (deps.isFit?.() === false ? 'file-unwritable' : null),
        memory: process.memoryUsage.rss(),
        startedAt,
      }),
    leave: () => ledger.processes.leave(id),
  };
}

/** A process that needs no secret creates none for this. */
function markOf(config: Pick<Config, 'secret' | 'home'>): string | null {
  const secret = knownSecret(config);
  return secret === undefined ? null : createSeal(secret).mark;
}
