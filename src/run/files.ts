import { CarillonError } from '../base/errors.ts';
import { importList } from '../control/lists/batches.ts';
import { exportAttempts } from '../control/people/person.ts';
import { exportRejects, exportResults } from '../control/people/show.ts';
import type { ResultFormat } from '../export/results.ts';
import type { Target } from '../export/target.ts';
import type { PeopleList } from '../intake/list.ts';
import type { RowBatch } from '../intake/recipients.ts';
import { shownAddress } from '../intake/remote/address.ts';
import type { Campaign } from '../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Imported } from '../ledger/people/import.ts';

/**
 * How many rows of the file were read, whether or not they are in the ledger, and how many numbers of people with several
 * were passed over, as they are no phones or another person's.
 */
export type RowsRead = { accepted: number; rejected: number; passed: number };

/**
 * Imports the file of a run: all of it or nothing. A broken file, or Ctrl-C, leaves the campaign as it was. Repaired
 * rejects are added to the list that they came from; nobody else leaves that list.
 */
export async function importFile(
  ledger: Ledger,
  campaign: Campaign,
  list: PeopleList,
  mode: 'repair' | 'whole',
  signal: AbortSignal,
): Promise<Imported & Pick<RowsRead, 'passed'>> {
  const read = { accepted: 0, rejected: 0, passed: 0 };
  const { columns } = list;
  try {
    const batches = readRows(list, read, signal);
    const imported = await importList(ledger, campaign.id, { batches, columns }, { mode });
    return { ...imported, passed: read.passed };
  } catch (error) {
    await ledger.campaigns.forget(campaign.id);
    throw error;
  }
}

/** The file's rows, counted as they pass, until Ctrl-C. */
export async function* readRows(
  list: Pick<PeopleList, 'batches'>,
  read: RowsRead,
  signal: AbortSignal,
): AsyncGenerator<RowBatch> {
  for await (const batch of list.batches) {
    if (signal.aborted)
      throw new CarillonError('interrupted', 'Interrupted while the file was read; nobody was called');
    read.accepted += batch.accepted.length;
    read.rejected += batch.rejected.length;
    for (const { phones } of batch.accepted)
      if (phones) read.passed += phones.filter(({ passed }) => passed !== null).length;
    yield batch;
  }
}

/** An empty list is not counted again: counting a million people takes longer than calling the first. */
export async function countPeople(
  ledger: Ledger,
  campaign: Campaign,
  { accepted, rejected, waiting }: Imported,
): Promise<{ people: number; pending: number; done: number }> {
  if (waiting !== null) return { people: accepted, pending: waiting, done: 0 };
  const { rows, counts } = await ledger.reports.standing(campaign.id);
  const pending = counts.waiting + counts.queued + counts.parked;
  return { people: rows - rejected, pending, done: counts.done };
}

/** A list with nobody to call writes its rejects to a file, and leaves no campaign behind. */
export async function refuseEmpty(
  ledger: Ledger,
  campaign: Campaign,
  rejected: number,
  { file, rejects }: { file: string; rejects: Target },
): Promise<never> {
  let example: string | undefined;
  for await (const [first] of ledger.reports.rejects(campaign.id)) {
    example = first && `line ${first.row}: ${first.reason}`;
    break;
  }
  await exportRejects(ledger, await ledger.campaigns.get(campaign.id), rejects);
  await ledger.campaigns.forget(campaign.id);
  throw nothingToDial(file, rejected, example);
}

/** The error when none of a file's rows can be dialled. */
export function nothingToDial(file: string, rejected: number, example: string | undefined): CarillonError {
  const shown = file === '-' ? 'Standard input' : shownAddress(file);
  if (rejected === 0 && /\.(?:json|ndjson|jsonl)$/i.test(file)) {
    return new CarillonError('nothing-to-dial', `${shown} has no rows`, {
      remedy: 'Add one object per person.',
    });
  }
  if (rejected === 0) {
    return new CarillonError('nothing-to-dial', `${shown} has a header but no rows`, {
      remedy: 'Add one row per person below the header.',
    });
  }
  return new CarillonError(
    'nothing-to-dial',
    `${shown} has no row that can be dialled: ${rejected} rejected, for example ${example?.trim()}`,
  );
}

/** `attempts` is null if the long form was not requested; it is in the format of the results. */
type RunFiles = { format: ResultFormat; results: Target; rejects: Target; attempts: Target | null };

export type Written = { results: number; rejected: number; attempts: number | null };

export async function writeFiles(
  ledger: Ledger,
  now: number,
  { id }: Pick<Campaign, 'id'>,
  to: RunFiles,
): Promise<Written> {
  const campaign = await ledger.campaigns.get(id);
  const results = await exportResults(ledger, now, campaign, to.results, to.format);
  const rejected = await exportRejects(ledger, campaign, to.rejects);
  const attempts = to.attempts ? await exportAttempts(ledger, campaign, to.attempts, to.format) : null;
  return { results, rejected, attempts };
}
