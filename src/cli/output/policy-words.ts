import { spanText } from '../../rules/policy/caps.ts';
import type { Policy } from '../../rules/policy/policy.ts';

/** The contact rules in one line: they apply besides the order's own hours, which may say "every hour and day". */
export function policyLines(policy: Policy | null): string[] {
  if (!policy) return [];
  const { hours, caps, gapSeconds, afterConversationSeconds, notOn } = policy;
  const parts: (string | null)[] = [
    hours.length > 0 ? `hours of ${hours.join(', ')}` : null,
    ...caps.map(
      ({ calls, perSeconds }) =>
        `at most ${calls} ${calls === 1 ? 'call' : 'calls'} to a phone in ${spanText(perSeconds)}`,
    ),
    gapSeconds === null ? null : `${spanText(gapSeconds)} between calls`,
    afterConversationSeconds === null ? null : `${spanText(afterConversationSeconds)} after a conversation`,
    notOn.length > 0
      ? `not on ${notOn.map((entry) => entry.replace('holidays:', 'holidays of ')).join(', ')}`
      : null,
  ];
  const said = parts.filter((part) => part !== null);
  return said.length > 0 ? [`Contact rules: ${said.join('; ')}.`] : [];
}
