import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { readJsonFile } from '../../intake/json-values.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { policySources, type WrittenPolicy, writtenPolicy } from '../../ledger/policies/policies.ts';
import { namesVersion } from '../requests/input.ts';
import { awaitLastSends, type LastSendsDeps } from '../stopping/hang-ups.ts';

/**
 * Puts contact rules in force for every campaign and single call, in every process. When it answers, no more calls
 * begin that were judged by the rules before. Null and an empty object turn all rules off. People held by them are
 * judged again.
 */
export async function setPolicy(deps: LastSendsDeps, body: unknown, ifMatch?: string): Promise<ShownPolicy> {
  const { ledger } = deps;
  const before = await showPolicy(ledger);
  const written = writtenPolicy(body ?? {});
  const made = await ledger.together(async ({ policies, activity }) => {
    const set = await policies.set(written, 'api');
    // Checked before the version: while a file rules, no version can be replaced here.
    if (set.refused) throw inFile(set.version);
    // Read after its lock, so that of two changes at once one is refused.
    const replaced = set.made ? await policies.before(set.version) : set.version;
    if (ifMatch !== undefined && !namesVersion(ifMatch, policyTag(replaced))) throw overtaken(replaced);
    const was = before.version === null ? null : { version: before.version, body: before.body };
    const after = { version: set.version, body: written.body };
    if (set.made) await activity.record({ verb: 'policy.set', before: was, after });
    return set.made;
  });
  if (made) await awaitLastSends(deps, {});
  return showPolicy(ledger);
}

function inFile(version: number): CarillonError {
  return new CarillonError(
    'policy-in-file',
    `Version ${version} of the contact rules is in force and comes from a file (CARILLON_POLICY)`,
  );
}

/** The tag that an `If-Match` names. */
export function policyTag(version: number | null): string {
  return String(version ?? 0);
}

function overtaken(version: number | null): CarillonError {
  return new CarillonError(
    'version-changed',
    `The contact rules are at version ${policyTag(version)}, which is not what If-Match names`,
  );
}

/** The contact rules of a file. `isSet`: a setting names it. */
export function readPolicyFile(path: string, isSet = false): WrittenPolicy {
  const value = readJsonFile(path, isSet);
  try {
    return writtenPolicy(value);
  } catch (error) {
    throw new CarillonError('policy-invalid', `${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Contact rules before they are in force: whether they can be read and do not contradict themselves. */
export const checkedPolicy = z.object({ valid: z.literal(true), body: z.record(z.string(), z.unknown()) });
type CheckedPolicy = z.output<typeof checkedPolicy>;

/** Throws what is wrong with the rules. */
export function checkPolicyBody(input: unknown): CheckedPolicy {
  return { valid: true, body: writtenPolicy(input).body };
}

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
