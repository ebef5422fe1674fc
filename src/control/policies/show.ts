import type { Ledger } from '../../ledger/ledger.ts';
import type { PolicySource } from '../../ledger/policies/verbs.ts';

/** The contact rules in force, as they were written; everything is null when there never were any. */
export type ShownPolicy = {
  body: Record<string, unknown> | null;
  version: number | null;
  digest: string | null;
  source: PolicySource | null;
  since: Date | null;
};

export async function showPolicy({ policies }: Pick<Ledger, 'policies'>): Promise<ShownPolicy> {
  await policies.refresh();
  const inForce = policies.version();
  if (!inForce) return { body: null, version: null, digest: null, source: null, since: null };
  const { version, digest, source, since } = inForce;
  return { body: await policies.body(version), version, digest, source, since };
}
