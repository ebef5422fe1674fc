import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine, type Machine, machineLine, printTable, summarise } from '../support/report.ts';
import { type EngineKind, openStage, results } from '../support/stage.ts';
import { type Run, runSystem, type SystemName } from '../support/systems.ts';

/** The ceiling: calls a second from create to stored result, when nothing limits them. */
export type CeilingOptions = {
  calls: number;
  pairs: number;
  engines: readonly EngineKind[];
  profile: boolean;
  systems: readonly SystemName[];
};

export async function measureCeiling(options: CeilingOptions, signal: AbortSignal): Promise<void> {
  const { calls, pairs, engines } = options;
  const machine: Machine = describeMachine();
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(machineLine(machine));
  const stage = await openStage(engines, options.profile);
  const runs: Run[] = [];
  try {
    const people = stage.writePeople(calls);
    for (const engine of engines) {
      for (let pair = 0; pair < pairs; pair++) {
        // The systems take turns, so that a change of the machine's speed affects all of them.
        for (const system of options.systems) {
          if (signal.aborted) throw new Error('interrupted');
          const run = await runSystem(stage, system, { engine, calls, people, signal });
          runs.push(run);
          say(
            `${engine} ${system}: ${run.steady.toFixed(0)} calls a second steady, ${run.whole.toFixed(0)} overall, ` +
              `${run.requestsPerCall.toFixed(2)} requests a call, ${run.life.toFixed(1)} s with start and end`,
          );
        }
      }
    }
  } finally {
    await stage.close();
  }
  const summaries = engines.map((engine) => summarise(engine, options.systems, runs));
  for (const summary of summaries) printTable(summary, say);
  const path = join(results, 'ceiling.json');
  writeFileSync(path, `${JSON.stringify({ machine, calls, pairs, summaries, runs }, null, 2)}\n`);
  say(`\nWritten to ${path}`);
}
