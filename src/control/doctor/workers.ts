import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../ledger/database.ts';
import { createLanes } from '../../ledger/lanes/lanes.ts';
import { createProcesses } from '../../ledger/processes/processes.ts';
import { alertKinds } from '../../rules/alert-kinds.ts';
import { differenceLine, findDialers } from '../processes/dialers.ts';
import { counted, type Say } from './findings.ts';

/** The background workers: whether one runs if campaigns wait for it, and whether each may dial. */
export async function lookAtWorkers(db: Database, config: Config, say: Say): Promise<void> {
  const processes = createProcesses(db, config.voice.baseUrl ?? '');
  const differing = await processes.differing();
  for (const code of ['keys-differ', 'secret-differs'] as const)
    for (const each of differing.filter(({ key }) => (key === null) === (code === 'secret-differs')))
      say('warn', differenceLine(each), alertKinds[code].remedy);
  const { alive, barred } = await findDialers({ processes });
  const told = new Set(differing.map(({ process }) => process));
  for (const { process, why, remedy } of barred.filter((each) => !told.has(each.process)))
    say('warn', `${process} does not dial: ${why}`, remedy);
  if (barred.length > 0) return;
  if (alive > 0) return say('ok', `${counted(alive, 'process dials', 'processes dial')}`);
  const { baseUrl } = config.voice;
  const due = baseUrl ? await createLanes(db, baseUrl).plannable(null, null) : [];
  if (due.length === 0) return say('ok', 'none runs, and no campaign waits for one');
  const lists = due.filter(({ kind }) => kind === 'list').length;
  say(
    'warn',
    `none runs, and ${lists > 0 ? counted(lists, 'campaign waits', 'campaigns wait') : 'single calls wait'} for one`,
    'Start `carillon up` or `carillon worker`.',
  );
}
