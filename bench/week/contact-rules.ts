import type { PhoneCall } from '../../src/rules/policy/history.ts';
import type { Policy } from '../../src/rules/policy/policy.ts';

/**
 * Which contact rule holds a phone at a moment, and until when: what `carillon.judge_phones` asks of the ledger, over
 * calls in memory. The audit's own rule judges the result.
 */
export type Hold = { rule: 'cap' | 'gap' | 'conversation'; until: number };

export function holdOf(policy: Policy, calls: readonly PhoneCall[], now: number): Hold | null {
  const { caps, gapSeconds, afterConversationSeconds } = policy;
  const last = calls.at(-1)?.endedAt ?? null;
  const talked = calls.findLast((call) => call.answered)?.endedAt ?? null;
  const holds = [
    ...caps.map(({ calls: most, perSeconds }) => hold('cap', calls[calls.length - most]?.at, perSeconds)),
    hold('gap', last, gapSeconds),
    hold('conversation', talked, afterConversationSeconds),
  ];
  return holds.reduce<Hold | null>(
    (longest, each) => (each && each.until > (longest?.until ?? now) ? each : longest),
    null,
  );
}

function hold(rule: Hold['rule'], since: number | null | undefined, seconds: number | null): Hold | null {
  return since == null || seconds === null ? null : { rule, until: since + seconds * 1_000 };
}
