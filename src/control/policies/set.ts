import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { writtenPolicy } from '../../ledger/policies/verbs.ts';
import { type ShownPolicy, showPolicy } from './show.ts';

/**
 * Puts contact rules in force for every campaign and single call, in every process, from the next call on. Null and an empty
 * object switch all of them off. What they held is judged again.
 */
export async function setPolicy(ledger: Pick<Ledger, 'policies'>, body: unknown): Promise<ShownPolicy> {
  const { refused, version } = await ledger.policies.set(writtenPolicy(body ?? {}), 'api');
  if (refused) {
    throw new CarillonError(
      'policy-in-file',
      `Version ${version} of the contact rules is in force and comes from a file (CARILLON_POLICY)`,
    );
  }
  return showPolicy(ledger);
}
