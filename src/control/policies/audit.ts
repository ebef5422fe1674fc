import type { Ledger } from '../../ledger/ledger.ts';
import type { AuditedCall } from '../../ledger/policies/policies.ts';
import { compileCalendar, isOpen } from '../../rules/calendar/calendar.ts';
import { type BreachKind, findBreaches } from '../../rules/policy/history.ts';
import type { Policy } from '../../rules/policy/policy.ts';

/** Whether the contact rules were kept: each attempt is judged by the version under which it was opened. */
type AuditedRule = { rule: string; broken: number; example: string | null };

const texts: Record<BreachKind | 'hours', string> = {
  live: 'two attempts are live on one phone at once',
  cap: 'a phone is called more often than a cap of the contact rules allows',
  gap: 'a phone is called again before the gap of the contact rules is over',
  conversation: 'a phone is called again before the pause after a conversation is over',
  hours: 'a person is dialled outside the hours of the contact rules',
};

/** Reads some phones at a time, so that any number of them fits in memory. */
export async function auditPolicy({
  policies,
}: Pick<Ledger, 'policies' | 'reports'>): Promise<AuditedRule[]> {
  const versions = await policies.all();
  const calendars = new Map(
    [...versions].map(([version, policy]) => [version, compileCalendar(null, policy)]),
  );
  const found = new Map<string, { broken: number; example: string }>();
  const note = (kind: keyof typeof texts, example: string) => {
    const known = found.get(kind) ?? { broken: 0, example };
    found.set(kind, { ...known, broken: known.broken + 1 });
  };
  for await (const calls of policies.calls()) {
    for (const { kind, attempt, after } of findBreaches(calls.map((call) => judged(call, versions)))) {
      note(kind, `attempt ${attempt}, after ${after}`);
    }
    for (const { attempt, at, policy, place } of calls) {
      const calendar = policy === null ? null : (calendars.get(policy) ?? null);
      if (!isOpen(calendar, place, at.getTime())) note('hours', `attempt ${attempt}, at ${at.toISOString()}`);
    }
  }
  return Object.entries(texts).map(([kind, rule]) => {
    const { broken = 0, example = null } = found.get(kind) ?? {};
    return { rule, broken, example };
  });
}

function judged(call: AuditedCall, versions: ReadonlyMap<number, Policy>) {
  return {
    attempt: call.attempt,
    at: call.at.getTime(),
    endedAt: call.endedAt?.getTime() ?? null,
    freeAt: call.freeAt?.getTime() ?? null,
    answered: call.answered,
    assumed: call.assumed,
    policy: call.policy === null ? null : (versions.get(call.policy) ?? null),
  };
}
