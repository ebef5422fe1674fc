import type { Ledger } from '../../ledger/ledger.ts';
import type { Policy } from '../../rules/policy/policy.ts';
import type { TestedPolicy } from './test.ts';

/** The ledger's part of the answer about a phone: the cap, gap or pause that holds it because of earlier calls. */
const words = {
  cap: 'it was called as often as a cap allows',
  gap: 'the gap after its last call is not over',
  conversation: 'the pause after a conversation is not over',
} as const;

/** The rule that holds longest is the one that is named. */
export async function withHistory(
  { policies }: Pick<Ledger, 'policies'>,
  policy: Policy | null,
  tested: TestedPolicy,
): Promise<TestedPolicy> {
  const { answer, phone, at } = tested;
  const hold = policy && (await policies.judge(phone, policy, at));
  if (!hold || (!answer.allowed && (answer.until === null || answer.until > hold.until))) return tested;
  const { rule, until } = hold;
  return { phone, at, answer: { allowed: false, rule, citation: null, until }, why: words[rule] };
}
