import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import { policySources } from '../../ledger/policies/policies.ts';

/** The contact rules in force, as they were written; everything is null when there never were any. */
export const policyAnswer = z
  .object({
    body: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('As it was written; its keys may come in another order.'),
    version: z.int().nullable(),
    digest: z.string().nullable(),
    source: z.enum(policySources).nullable(),
    since: z.date().nullable(),
  })
  .meta({ id: 'PolicyVersion' });
export type ShownPolicy = z.output<typeof policyAnswer>;

export async function showPolicy({ policies }: Pick<Ledger, 'policies'>): Promise<ShownPolicy> {
  await policies.refresh();
  const inForce = policies.version();
  if (!inForce) return { body: null, version: null, digest: null, source: null, since: null };
  const { version, digest, source, since } = inForce;
  return { body: await policies.body(version), version, digest, source, since };
}
