import { z } from 'zod';
import { type Recipient, showRecipient } from '../../export/recipient.ts';
import { writeRejected } from '../../export/rejected.ts';
import type { ResultFormat } from '../../export/results.ts';
import { writeResults } from '../../export/results.ts';
import type { Target } from '../../export/target.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ResultLine } from '../../ledger/reports/verbs.ts';
import { createWaits } from '../../rules/waiting.ts';
import { read } from '../input.ts';
import { type Page, pageInput, readPage } from '../page.ts';

/** The people of a campaign, in input order: a page of them, or all in a file. */
const listInput = z.strictObject(pageInput);

export async function listRecipients(
  ledger: Ledger,
  now: number,
  nameOrId: string,
  input: unknown,
): Promise<Page<Recipient>> {
  const query = read(listInput, input);
  const campaign = await ledger.campaigns.get(nameOrId);
  return readPage(
    query,
    { schema: z.tuple([z.int(), z.int().min(0)]), of: (line: ResultLine) => [line.row, line.id] },
    (place, most) => {
      const after = place ? { row: place[0], id: place[1] } : { row: -1, id: -1 };
      return ledger.reports.page(campaign.id, after, most);
    },
    shower(campaign, now),
  );
}

/** Writes one row a recipient; resolves to the number of rows. */
export async function exportResults(
  ledger: Ledger,
  now: number,
  campaign: Campaign,
  target: Target,
  format: ResultFormat,
): Promise<number> {
  const show = shower(campaign, now);
  const shown = async function* () {
    for await (const lines of ledger.reports.results(campaign.id)) yield lines.map(show);
  };
  return writeResults(target, format, campaign.columns, shown());
}

/** Writes the rows that the latest import rejected. */
export async function exportRejects(ledger: Ledger, campaign: Campaign, target: Target): Promise<number> {
  return writeRejected(target, campaign.columns, ledger.reports.rejects(campaign.id));
}

function shower(campaign: Campaign, now: number): (line: ResultLine) => Recipient {
  const waits = createWaits(campaign, now);
  return (line) => showRecipient(line, campaign.name, waits(line));
}
