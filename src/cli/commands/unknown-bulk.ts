import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Books } from '../../app.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Finding, Resolver } from '../../control/resolve.ts';
import { createRecordReader } from '../../intake/records.ts';
import { agrees } from '../agree.ts';
import type { Cli } from '../cli.ts';
import { count } from '../output/summary.ts';

/** Many unknown attempts settled at once: those of a campaign, all of them, or those that a file names. */
type Named = Finding & { attempt: string };

/** What `unknown resolve` was given. */
export type ResolveFlags = {
  as: 'called' | 'not-called';
  callId?: string;
  campaign?: string;
  all?: true;
  file?: string;
  reason?: string;
  yes?: true;
  json?: true;
};

/** So many that could not be settled are told one by one. */
const mostTold = 10;

export async function resolveMany(
  cli: Cli,
  books: Books,
  resolver: Resolver,
  flags: ResolveFlags,
  named: Named[] | null,
): Promise<void> {
  const findings = named ?? (await findAll(books, flags));
  const where = flags.campaign ? ` of ${flags.campaign}` : '';
  if (findings.length > 0 && !flags.yes) {
    const what =
      flags.as === 'called'
        ? 'were called, and are not called again'
        : 'were not called, and may be called again';
    const question = `${count(findings.length)} unknown${where} ${what}: is that so?`;
    if (!(await agrees(cli, question))) {
      cli.note('Nothing was changed.');
      return;
    }
  }
  const { resolved, failed } = await resolver.many(findings);
  if (failed.length > 0) cli.exit(3);
  if (flags.json) {
    cli.json({ as: flags.as, matched: findings.length, resolved: resolved.length, failed });
    return;
  }
  if (findings.length === 0) cli.out(`Nothing${where} is unknown.`);
  else cli.out(`${count(resolved.length)} of ${count(findings.length)}${where} are settled as ${flags.as}.`);
  for (const each of failed.slice(0, mostTold)) cli.out(`${each.attempt}: ${each.detail}.`);
  if (failed.length > mostTold)
    cli.out(`And ${count(failed.length - mostTold)} more; --json names them all.`);
}

/** A call that the service took cannot have been left unmade: such are passed over when all are called not called. */
async function findAll({ ledger }: Books, flags: ResolveFlags): Promise<Named[]> {
  const campaign = flags.campaign ? await ledger.campaigns.get(flags.campaign) : null;
  const found = await ledger.unknowns.list(campaign?.id ?? null, 1_000_000);
  return found
    .filter((each) => flags.as === 'called' || each.callId === null)
    .map((each) => ({ attempt: each.attempt, as: flags.as, reason: flags.reason }));
}

/** A CSV with a column `attempt`, and `call_id` where somebody knows it. */
export function readFindings(path: string, cwd: string, flags: ResolveFlags): Named[] {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new CarillonError('file-unreadable', `${path} cannot be read: ${(error as Error).message}`);
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
          `${path}, line ${row.line}: ${row.fault ?? 'it names no attempt'}`,
        );
      }
      return { attempt: id, as: flags.as, callId: call || undefined, reason: flags.reason };
    });
}
