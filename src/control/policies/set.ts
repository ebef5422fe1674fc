import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { writtenPolicy } from '../../ledger/policies/verbs.ts';
import { type ShownPolicy, showPolicy } from './show.ts';

/**
 * Puts contact rules in force for every campaign and single call, in every process, from the next call on. Null and an empty
 * object switch all of them off. What they held is judged again.
 */
export async function setPolicy(
  ledger: Pick<Ledger, 'policies' | 'together'>,
  body: unknown,
): Promise<ShownPolicy> {
  const before = await showPolicy(ledger);
  const written = writtenPolicy(body ?? {});
  const { refused, version } = await ledger.together(async ({ policies, activity }) => {
    const set = await policies.set(written, 'api');
    const was = before.version === null ? null : { version: before.version, body: before.body };
    const after = { version: set.version, body: written.body };
    if (set.made) await activity.record({ verb: 'policy.set', before: was, after });
    return set;
  });
  if (refused) {
    throw new CarillonError(
      'policy-in-file',
      `Version ${version} of the contact rules is in force and comes from a file (CARILLON_POLICY)`,
    );
  }
  return showPolicy(ledger);
}
