import { hostname } from 'node:os';
import type { Rounds } from '../../base/rounds.ts';
import { version } from '../../base/version.ts';
import type { Fitness } from '../../dispatch/fitness.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** Tells the ledger that this process lives, what it does and how it is, so that each process can show all of them. */
export type ReportDeps = {
  ledger: Pick<Ledger, 'processes'>;
  engine: Pick<Engine, 'kind'>;
  rounds: Pick<Rounds, 'ages'>;
  fitness: Pick<Fitness, 'aheadMs' | 'trouble'>;
  clock: { now(): number };
  /** The process's id on the attempts that it opens. */
  dialer: string;
};

export type Reporter = { report(): Promise<void>; leave(): Promise<void> };

export function createReporter(deps: ReportDeps, parts: readonly string[]): Reporter {
  const { ledger, engine, rounds, fitness, dialer: id } = deps;
  const startedAt = new Date(deps.clock.now());
  return {
    report: () =>
      ledger.processes.report({
        id,
        host: hostname(),
        pid: process.pid,
        version,
        node: process.versions.node,
        parts: [...parts],
        queue: engine.kind,
        loops: rounds.ages().map(({ name, ageMs, stuck }) => ({ name, age_ms: Math.round(ageMs), stuck })),
        clockAheadMs: Math.round(fitness.aheadMs()),
        trouble: fitness.trouble()?.code ?? null,
        memory: process.memoryUsage.rss(),
        startedAt,
      }),
    leave: () => ledger.processes.leave(id),
  };
}
