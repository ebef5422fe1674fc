import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import {
  type CampaignAttempt,
  campaignAttemptShape,
  type ShownAttempt,
  showAttempt,
  showCampaignAttempt,
} from '../../export/attempt.ts';
import { showRecipient } from '../../export/recipient.ts';
import { type ResultFormat, writeAttempts } from '../../export/results.ts';
import type { Target } from '../../export/target.ts';
import type { CallRow } from '../../ledger/calls/calls.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { CampaignTry } from '../../ledger/reports/reports.ts';
import { read } from '../requests/input.ts';
import { type Page, pageOf, readPage } from '../requests/page.ts';
import { recipientId } from './filter.ts';
import { foundPerson } from './search.ts';
import { listInput, timezones, zonesOf } from './show.ts';
import { waitsOn } from './waits.ts';

/** One person on a campaign's list: found by id or phone, and shown with every attempt. */
export const personAnswer = foundPerson
  .extend({
    variables: z
      .record(z.string(), z.unknown())
      .describe('The variables of the next call; `input` is what was given.'),
    timezones,
  })
  .meta({ id: 'Person' });
export type Person = z.output<typeof personAnswer>;

export async function showPerson(
  { ledger, clock }: { ledger: Ledger; clock: Pick<Clock, 'now'> },
  nameOrId: string,
  ref: string,
): Promise<Person> {
  const campaign = await ledger.campaigns.get(nameOrId);
  const call = await findPerson(ledger, campaign, ref);
  const [attempts, variables] = await Promise.all([
    attemptsOf(ledger, call.id),
    ledger.people.variablesOf(call.id),
  ]);
  const waits = await waitsOn(ledger, [call], clock.now());
  const shown = showRecipient(call, call.campaign, waits(call));
  return { ...shown, attempts, variables, timezones: zonesOf(call) };
}

/** The person with the version of the row, which an `If-Match` names. */
export async function readPerson(
  deps: { ledger: Ledger; clock: Pick<Clock, 'now'> },
  nameOrId: string,
  ref: string,
): Promise<{ person: Person; version: string }> {
  const { ledger } = deps;
  const { id } = await findPerson(ledger, await ledger.campaigns.get(nameOrId), ref);
  // Read first: a change in between then counts as a change.
  const version = await ledger.people.versionOf(id);
  return { person: await showPerson(deps, nameOrId, String(id)), version: version ?? '' };
}

/** Finds by the recipient's id, or by the phone. */
export async function findPerson(ledger: Ledger, campaign: Campaign, ref: string): Promise<CallRow> {
  const own = recipientId.safeParse(ref).success
    ? Number(ref)
    : await ledger.people.idOf(campaign.id, ref.trim());
  const call = own === null ? null : await ledger.calls.find(own);
  if (call?.campaignId === campaign.id) return call;
  throw new CarillonError('recipient-unknown', `${campaign.name} has no recipient ${ref}`);
}

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
