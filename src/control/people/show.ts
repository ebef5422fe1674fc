import { z } from 'zod';
import { type Recipient, showRecipient } from '../../export/recipient.ts';
import { writeRejected } from '../../export/rejected.ts';
import type { ResultFormat } from '../../export/results.ts';
import { writeResults } from '../../export/results.ts';
import type { Target } from '../../export/target.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RejectLine, ResultFilter, ResultLine } from '../../ledger/reports/verbs.ts';
import { type RecipientState, recipientStates } from '../../ledger/states.ts';
import { createWaits } from '../../rules/waiting.ts';
import { outcomes } from '../../voice/outcomes.ts';
import { read } from '../input.ts';
import { type Page, pageInput, readPage } from '../page.ts';

/** The people of a campaign, in input order: a page of them, or all in a file. */
export const listInput = z.strictObject(pageInput);

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
    inOrder<ResultLine>(),
    (place, most) => ledger.reports.page(campaign.id, after(place), most),
    shower(ledger, campaign, now),
  );
}

/** Rows of an input in its order; of one number there may be several. */
type Place = [row: number, id: number];
const inOrder = <Line extends { row: number; id: number }>() => ({
  schema: z.tuple([z.int(), z.int().min(0)]),
  of: ({ row, id }: Line): Place => [row, id],
});
const after = (place: Place | null) => (place ? { row: place[0], id: place[1] } : { row: -1, id: -1 });

/** A row that was not taken, in its place in the list. */
export type Reject = { row: number; reason: string; input: Record<string, unknown> };

/** The rows that imports refused, in input order. */
export async function listRejects(ledger: Ledger, nameOrId: string, input: unknown): Promise<Page<Reject>> {
  const query = read(listInput, input);
  const { id } = await ledger.campaigns.get(nameOrId);
  return readPage(
    query,
    inOrder<RejectLine>(),
    (place, most) => ledger.reports.rejectsPage(id, after(place), most),
    ({ row, reason, input: given }) => ({ row, reason, input: given }),
  );
}

const several = (names: readonly string[]) =>
  z
    .string()
    .max(500)
    .transform((value, context) => {
      const wanted = value.split(',').map((each) => each.trim());
      if (wanted.every((each) => names.includes(each))) return wanted;
      context.addIssue(`must be of ${names.join(', ')}, separated by commas`);
      return z.NEVER;
    })
    .optional();

/** Which rows of the results are wanted. */
const filterInput = z.strictObject({
  state: several(recipientStates),
  outcome: several(outcomes),
  since: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-03-01T09:00:00Z' })
    .transform((text) => new Date(text))
    .optional(),
});

/** Null when every row is wanted. */
export function readFilter(input: unknown): ResultFilter | null {
  const { state = null, outcome = null, since = null } = read(filterInput, input);
  if (!state && !outcome && !since) return null;
  return { states: state as RecipientState[] | null, outcomes: outcome, since };
}

/** Writes one row a recipient; resolves to the number of rows. */
export async function exportResults(
  ledger: Ledger,
  now: number,
  campaign: Campaign,
  target: Target,
  format: ResultFormat,
  filter: ResultFilter | null = null,
): Promise<number> {
  const show = shower(ledger, campaign, now);
  const shown = async function* () {
    for await (const lines of ledger.reports.results(campaign.id, filter)) yield lines.map(show);
  };
  return writeResults(target, format, campaign.columns, shown());
}

/** Writes the rows that the latest import rejected. */
export async function exportRejects(ledger: Ledger, campaign: Campaign, target: Target): Promise<number> {
  return writeRejected(target, campaign.columns, ledger.reports.rejects(campaign.id));
}

export function shower(ledger: Ledger, campaign: Campaign, now: number): (line: ResultLine) => Recipient {
  const waits = createWaits({ ...campaign, calendar: ledger.calendarOf(campaign.times) }, now);
  return (line) => showRecipient(line, campaign.name, waits(line));
}
