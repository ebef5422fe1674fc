import { describeMachine, keep, machineLine, printTable, say, summarise } from '../support/report.ts';
import { type EngineKind, openStage } from '../support/stage.ts';
import { type PeerName, type Run, runSystem, type SystemName } from '../support/systems.ts';

/** The ceiling: calls a second from create to stored result, when nothing limits them. */
export type CeilingOptions = {
  calls: number;
  pairs: number;
  engine: readonly EngineKind[];
  peers: readonly PeerName[];
  profile: boolean;
};

export async function measureCeiling(options: CeilingOptions, signal: AbortSignal): Promise<void> {
  const { calls, pairs, engine: engines, peers } = options;
  const systems: SystemName[] = ['carillon', ...peers];
  say(machineLine(describeMachine()));
  const stage = await openStage(engines, options.profile);
  const runs: Run[] = [];
  try {
    const people = stage.writePeople(calls);
    for (const engine of engines) {
      for (let pair = 0; pair < pairs; pair++) {
        // The systems take turns, so that a change of the machine's speed affects all of them.
        for (const system of systems) {
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
  const summaries = engines.map((engine) => summarise(engine, systems, runs));
  for (const summary of summaries) printTable(summary);
  keep('ceiling', { calls, pairs, summaries, runs });
}
