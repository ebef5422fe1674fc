import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { bodyFormats, type ImportLine, importStates } from '../../ledger/background/background.ts';
import { campaignStates } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { importAnswerShape } from '../lists/batches.ts';
import { read, text } from '../requests/input.ts';
import { cursorsByTime, type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';

/** Imports that continue after their request was answered: how far each is, and what came of it. */
export const shownImport = z
  .object({
    id: z.string(),
    campaign: z.string(),
    campaign_state: z.enum(campaignStates),
    state: z
      .enum(importStates)
      .describe('`failed`: nothing was stored, and `reason` says why. The same list can be sent again.'),
    code: z.string().nullable().describe('The error’s code, where it failed.'),
    reason: z.string().nullable(),
    since: z.date().describe('Since when it is in this state.'),
    format: z.enum(bodyFormats),
    bytes: z.int(),
    bytes_read: z.int(),
    rows_read: z.int(),
    ...importAnswerShape,
    created_at: z.date(),
    ended_at: z.date().nullable(),
  })
  .meta({ id: 'Import' });
export type ShownImport = z.output<typeof shownImport>;

export const importsQuery = z.strictObject({ ...pageInput, campaign: text(300).optional() });
export const importsAnswer = pageOf(shownImport);

export async function showImport(ledger: Pick<Ledger, 'imports'>, id: string): Promise<ShownImport> {
  const found = z.uuid().safeParse(id).success ? await ledger.imports.get(id) : null;
  if (!found) throw new CarillonError('import-unknown', `The import ${id} was not found`);
  return show(found);
}

/** Newest first. */
export async function listImports(ledger: Ledger, query: unknown): Promise<Page<ShownImport>> {
  const { campaign, ...page } = read(importsQuery, query);
  const only = campaign === undefined ? null : (await ledger.campaigns.get(campaign)).id;
  return readPage(page, cursorsByTime, (after, most) => ledger.imports.page(after, most, only), show);
}

function show(line: ImportLine): ShownImport {
  const { rejected = 0, known = 0, changed = 0 } = line.passed;
  return shownAs(shownImport, line, {
    bytes: line.size,
    bytes_read: line.seen,
    accepted: line.done,
    // Nobody is on the list before the import is done.
    new: line.state === 'done' ? line.done - known : 0,
    known,
    changed,
    rejected,
  });
}
