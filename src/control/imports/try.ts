import { z } from 'zod';
import { encodings } from '../../intake/encoding.ts';
import type { RejectedRow, RowBatch } from '../../intake/recipients.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readPlace } from '../../rules/phone/place.ts';
import { importAnswerShape, keepRejects } from './batches.ts';
import type { SentList } from './body.ts';
import { erasedReason, withoutErased } from './erased.ts';

/** What an import would do: every check of it, and nothing stored. */
const column = z.string().nullable();
const sample = z.object({
  row: z.int(),
  phone: z.string(),
  name: z.string().nullable(),
  agent: z.string().nullable(),
  timezones: z
    .array(z.string())
    .describe('Where the person may be; the calling window must be open in all of them.'),
  variables: z.record(z.string(), z.unknown()),
});
/** What is told of a list that was only read. */
export const triedShape = {
  ...importAnswerShape,
  duplicates: z.int().describe('Rejected rows whose phone stands in an earlier row.'),
  never: z.int().describe('Rejected rows of people whom the order and the contact rules never let through.'),
  suppressed: z.int().describe('Accepted rows of people who must not be called, and are skipped.'),
  encoding: z.enum(encodings).nullable().describe('Of a CSV.'),
  delimiter: z.string().nullable().describe('Of a CSV.'),
  mapping: z
    .object({
      phone: z.string(),
      name: column,
      timezone: column,
      state: column,
      agent: column,
      variables: z.array(z.object({ name: z.string(), type: z.string(), column: z.string() })),
    })
    .nullable()
    .describe('Which column of a CSV is taken for what.'),
  hint: z.string().nullable().describe('What may have been overlooked.'),
  samples: z.array(sample).describe('The first rows that are accepted, as they would be stored.'),
};
const tried = z.object(triedShape);
export type TriedList = z.output<typeof tried>;

export const triedAnswer = z
  .object({
    campaign: z.string(),
    state: z.string(),
    dry_run: z.literal(true),
    ...triedShape,
    known: z.int().describe('Accepted rows of people who are on the list already: nobody is called twice.'),
    columns: z.array(z.string()).nullable().describe('Of a CSV, in its order.'),
  })
  .meta({ id: 'TriedImport' });
export type TriedImport = z.output<typeof triedAnswer>;

const mostSamples = 5;

export async function tryList(ledger: Ledger, campaign: Campaign, list: SentList): Promise<TriedImport> {
  let known = 0;
  const told = await readTrial(ledger, list, async ({ accepted }) => {
    const phones = await ledger.people.tryPhones(
      campaign.id,
      accepted.map(({ phone }) => phone),
    );
    known += phones.known;
    return phones.suppressed;
  });
  const { name, state } = campaign;
  return { campaign: name, state, dry_run: true, ...told, known, columns: list.columns };
}

/** Reads a list to its end. `suppressedIn` counts those of a batch who must not be called. */
export async function readTrial(
  ledger: Pick<Ledger, 'erasures'>,
  { csv, batches }: SentList,
  suppressedIn: (batch: RowBatch) => Promise<number>,
): Promise<TriedList> {
  const told: TriedList = {
    accepted: 0,
    rejected: 0,
    rejects: [],
    duplicates: 0,
    never: 0,
    suppressed: 0,
    encoding: csv?.encoding ?? null,
    delimiter: csv?.delimiter ?? null,
    mapping: csv?.mapping ?? null,
    hint: csv?.hint ?? null,
    samples: [],
  };
  for await (const batch of withoutErased(ledger, batches)) {
    told.accepted += batch.accepted.length;
    told.rejected += batch.rejected.length;
    told.duplicates += batch.rejected.filter(({ isTwin }) => isTwin).length;
    told.never += batch.rejected.filter(isNever).length;
    keepRejects(told.rejects, batch);
    keepSamples(told.samples, batch);
    told.suppressed += await suppressedIn(batch);
  }
  return told;
}

const isNever = ({ phone, reason }: RejectedRow) => phone !== undefined && reason !== erasedReason;

function keepSamples(samples: TriedList['samples'], { accepted }: RowBatch): void {
  for (const { row, phone, name, agent = null, place, variables } of accepted) {
    if (samples.length === mostSamples) return;
    samples.push({ row, phone, name, agent, timezones: [...readPlace(place).zones], variables });
  }
}
