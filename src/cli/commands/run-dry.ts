import { systemClock } from '../../base/clock.ts';
import { describeOrder } from '../../control/order/order.ts';
import { checkService } from '../../control/preflight.ts';
import { rejectedPath } from '../../export/rejected.ts';
import { checkTarget } from '../../export/target.ts';
import { openCsv } from '../../intake/csv.ts';
import { nothingToDial } from '../../run/import.ts';
import { createClients } from '../../voice/clients.ts';
import { loadProfile } from '../../voice/profile.ts';
import type { Cli } from '../cli.ts';
import { drySummary, summaryLines } from '../output/summary.ts';
import { type RunOrder, sourceOf } from './run-input.ts';

/** A dry run makes every check and counts the rows. It stores and dials nothing. */
export async function runDry(cli: Cli, run: RunOrder): Promise<void> {
  const began = performance.now();
  await checkTarget(run.out);
  await checkTarget(rejectedPath(run.out));
  const config = cli.config();
  const clients = createClients(config, loadProfile(config.voice.profilePath));
  try {
    const intake = await openCsv(sourceOf(cli, run.file), {
      ...run,
      timezone: run.order.timezone ?? undefined,
      hours: run.order.hours,
      now: systemClock.now(),
    });
    let accepted = 0;
    let rejected = 0;
    const examples: string[] = [];
    try {
      for await (const batch of intake.batches) {
        accepted += batch.accepted.length;
        rejected += batch.rejected.length;
        for (const row of batch.rejected.slice(0, 5 - examples.length))
          examples.push(`  line ${row.row}: ${row.reason}`);
      }
    } finally {
      await intake.close();
    }
    if (accepted === 0) throw nothingToDial(run.file, rejected, examples[0]);
    const checked = await checkService(clients, run.order.callers, async () => true);
    const summary = drySummary(
      run.name,
      accepted,
      rejected,
      checked.requests,
      (performance.now() - began) / 1_000,
    );
    if (run.json) {
      cli.json(summary);
      return;
    }
    cli.out(`Dry run of ${run.name}: ${describeOrder(run.order).join('; ')}.`);
    for (const line of summaryLines(summary)) cli.out(line);
    if (examples.length > 0) {
      cli.out(`Rejected rows${rejected > examples.length ? `, the first ${examples.length}` : ''}:`);
      for (const line of examples) cli.out(line);
    }
    const but = rejected === 0 ? '' : rejected === 1 ? ', except for that row' : ', except for those rows';
    cli.out(`Every check passed${but}. Nothing was stored and nobody was called.`);
  } finally {
    await Promise.all([...clients.values()].map((client) => client.close()));
  }
}
