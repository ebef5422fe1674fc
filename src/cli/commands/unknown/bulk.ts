import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CarillonError } from '../../../base/errors.ts';
import type { ServiceAccess } from '../../../control/service/access.ts';
import { findUnknowns, type NamedUnknown, resolveUnknowns } from '../../../control/unknowns/settle.ts';
import { createRecordReader } from '../../../intake/records.ts';
import { unreadable } from '../../../intake/source.ts';
import { type Cli, given } from '../../command-io.ts';
import { agrees } from '../../confirm.ts';
import { count, counted } from '../../output/summary.ts';

/** Settles many unknown attempts at once: those of a campaign, all of them, or those in a file. */
export type ResolveFlags = {
  as: 'called' | 'not-called';
  callId?: string;
  campaign?: string;
  all?: true;
  file?: string;
  reason?: string;
  force?: true;
  yes?: true;
  json?: true;
};

/** How many that could not be settled are listed one by one. */
const mostTold = 10;

export async function resolveMany(
  cli: Cli,
  service: ServiceAccess,
  flags: ResolveFlags,
  attempts: NamedUnknown[] | null,
): Promise<void> {
  const { as, reason, campaign, all, force } = given(flags);
  const found = attempts ?? (await findUnknowns(service.ledger, { as, force, campaign, all }));
  const matched = found.length;
  const where = campaign ? ` of ${campaign}` : '';
  if (matched > 0 && !flags.yes) {
    const what =
      as === 'called'
        ? 'as called? Nobody is called again.'
        : 'as not called? These people may be called again.';
    if (!(await agrees(cli, `Resolve ${counted(matched, 'unknown attempt')}${where} ${what}`))) {
      cli.note('Nothing was changed.');
      return;
    }
  }
  const done =
    matched === 0
      ? { as, matched, resolved: 0, failed: [] }
      : await resolveUnknowns(service, { as, force, reason, attempts: found });
  const { resolved, failed } = done;
  if (failed.length > 0) cli.exit(3);
  if (flags.json) return cli.json(done);
  if (matched === 0) cli.out(`There are no unknown attempts${where}.`);
  else
    cli.out(`Resolved ${count(resolved)} of ${counted(done.matched, 'unknown attempt')}${where} as ${as}.`);
  for (const each of failed.slice(0, mostTold)) cli.out(`${each.attempt}: ${each.detail}.`);
  if (failed.length > mostTold)
    cli.out(`And ${count(failed.length - mostTold)} more; --json names them all.`);
  if (failed.length > 0 && as === 'not-called')
    cli.note('`carillon unknown list` shows when each can be resolved as not called.');
}

/** A CSV with a column `attempt`, and `call_id` where it is known. */
export function readFindings(path: string, cwd: string): NamedUnknown[] {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw unreadable(path, error);
  }
  const [header, ...rows] = createRecordReader(',', path).read(text, true);
  const columns = (header?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const attempt = columns.indexOf('attempt');
  const callId = columns.indexOf('call_id');
  if (attempt < 0) {
    throw new CarillonError('file-broken', `${path} has no column named attempt`, {
      remedy:
        'Give a CSV with the columns attempt and call_id, as `carillon unknown list --json` names them.',
    });
  }
  return rows
    .filter((row) => row.cells.some((cell) => cell.trim()))
    .map((row) => {
      const id = row.cells[attempt]?.trim() ?? '';
      const call = callId < 0 ? '' : (row.cells[callId]?.trim() ?? '');
      if (!id || row.fault) {
        throw new CarillonError(
          'file-broken',
          `${path}, line ${row.line}: ${row.fault ?? 'the attempt is missing'}`,
        );
      }
      return { attempt: id, call_id: call || undefined };
    });
}
