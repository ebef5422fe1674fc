import { z } from 'zod';
import { encodings } from '../../intake/encoding.ts';
import type { RowBatch } from '../../intake/recipients.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readPlace } from '../../rules/phone/place.ts';
import { importAnswerShape, keepRejects } from './batches.ts';
import type { SentList } from './body.ts';

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
export const triedAnswer = z
  .object({
    campaign: z.string(),
    state: z.string(),
    dry_run: z.literal(true),
    ...importAnswerShape,
    duplicates: z.int().describe('Rejected rows whose phone stands in an earlier row.'),
    never: z
      .int()
      .describe('Rejected rows of people whom the order and the contact rules never let through.'),
    known: z.int().describe('Accepted rows of people who are on the list already: nobody is called twice.'),
    suppressed: z.int().describe('Accepted rows of people who must not be called, and are skipped.'),
    encoding: z.enum(encodings).nullable().describe('Of a CSV.'),
    delimiter: z.string().nullable().describe('Of a CSV.'),
    columns: z.array(z.string()).nullable().describe('Of a CSV, in its order.'),
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
  })
  .meta({ id: 'TriedImport' });
export type TriedImport = z.output<typeof triedAnswer>;

const mostSamples = 5;

export async function tryList(ledger: Ledger, campaign: Campaign, list: SentList): Promise<TriedImport> {
  const { csv, columns } = list;
  const tried: TriedImport = {
    campaign: campaign.name,
    state: campaign.state,
    dry_run: true,
    accepted: 0,
    rejected: 0,
    rejects: [],
    duplicates: 0,
    never: 0,
    known: 0,
    suppressed: 0,
    encoding: csv?.encoding ?? null,
    delimiter: csv?.delimiter ?? null,
    columns,
    mapping: csv?.mapping ?? null,
    hint: csv?.hint ?? null,
    samples: [],
  };
  for await (const batch of list.batches) {
    tried.accepted += batch.accepted.length;
    tried.rejected += batch.rejected.length;
    tried.duplicates += batch.rejected.filter(({ isTwin }) => isTwin).length;
    tried.never += batch.rejected.filter(({ phone }) => phone !== undefined).length;
    keepRejects(tried.rejects, batch);
    keepSamples(tried.samples, batch);
    const phones = batch.accepted.map(({ phone }) => phone);
    const { known, suppressed } = await ledger.people.tryPhones(campaign.id, phones);
    tried.known += known;
    tried.suppressed += suppressed;
  }
  return tried;
}

function keepSamples(samples: TriedImport['samples'], { accepted }: RowBatch): void {
  for (const { row, phone, name, agent = null, place, variables } of accepted) {
    if (samples.length === mostSamples) return;
    samples.push({ row, phone, name, agent, timezones: [...readPlace(place).zones], variables });
  }
}
