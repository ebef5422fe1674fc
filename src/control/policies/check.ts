import { z } from 'zod';
import { writtenPolicy } from '../../ledger/policies/policies.ts';

/** Contact rules before they are in force: whether they can be read and do not contradict themselves. */
export const checkedPolicy = z.object({ valid: z.literal(true), body: z.record(z.string(), z.unknown()) });
export type CheckedPolicy = z.output<typeof checkedPolicy>;

/** Throws what is wrong with the rules. */
export function checkPolicyBody(input: unknown): CheckedPolicy {
  return { valid: true, body: writtenPolicy(input).body };
}
