import { z } from 'zod';
import {
  type CampaignAttempt,
  campaignAttemptShape,
  type ShownAttempt,
  showAttempt,
  showCampaignAttempt,
} from '../../export/attempt.ts';
import { type ResultFormat, writeAttempts } from '../../export/results.ts';
import type { Target } from '../../export/target.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { CampaignTry } from '../../ledger/reports/reports.ts';
import { read } from '../requests/input.ts';
import { type Page, pageOf, readPage } from '../requests/page.ts';
import { listInput } from './show.ts';

/** The attempts behind the results: one person's, a page of a campaign's, or all in a file. */
export const attemptsAnswer = pageOf(campaignAttemptShape);

export async function attemptsOf(ledger: Ledger, recipientId: number): Promise<ShownAttempt[]> {
  return (await ledger.reports.attemptsOf(recipientId)).map(showAttempt);
}

/** Every attempt of a campaign, by person, in the order in which people were added. */
export async function listAttempts(
  ledger: Ledger,
  nameOrId: string,
  input: unknown,
): Promise<Page<CampaignAttempt>> {
  const query = read(listInput, input);
  const { id, name } = await ledger.campaigns.get(nameOrId);
  const place = {
    schema: z.tuple([z.int(), z.uuid()]),
    of: (line: CampaignTry): [number, string] => [line.recipientId, line.id],
  };
  const from = (at: [number, string] | null) => at && { recipientId: at[0], id: at[1] };
  return readPage(
    query,
    place,
    (at, most) => ledger.reports.attemptsPage(id, from(at), most),
    (line) => showCampaignAttempt(line, name),
  );
}

/** Writes one row per attempt; returns the number of rows. */
export async function exportAttempts(
  ledger: Ledger,
  campaign: Campaign,
  target: Target,
  format: ResultFormat,
): Promise<number> {
  const shown = async function* () {
    for await (const lines of ledger.reports.attempts(campaign.id))
      yield lines.map((line) => showCampaignAttempt(line, campaign.name));
  };
  return writeAttempts(target, format, campaign.columns, shown());
}
