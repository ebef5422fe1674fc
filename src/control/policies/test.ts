import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { compileCalendar, judge, neverOpens } from '../../rules/calendar/calendar.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { placeOf } from '../../rules/phone/place.ts';
import { readState } from '../../rules/phone/states.ts';
import type { Policy } from '../../rules/policy/policy.ts';
import { readInstant } from '../../rules/time/instant.ts';
import { isZone } from '../../rules/time/zone-clock.ts';
import { read, text } from '../requests/input.ts';

/** Whether a phone may be called at a time by the hours and dates of contact rules; needs no campaign. */
export const policyTestAnswer = z.object({
  allowed: z.boolean(),
  rule: z.string().nullable().describe('The rule that holds the call back, in one word.'),
  citation: z.string().nullable(),
  until: z.date().nullable().describe('When the answer changes; null if no change is in sight.'),
});
type PolicyAnswer = z.output<typeof policyTestAnswer>;

export const policyTestInput = z.strictObject({
  phone: text(100),
  at: text(100),
  state: text(100)
    .meta({ examples: ['TX'] })
    .optional(),
  timezone: text(100).optional(),
});

/** The answer, with the reason in words, the phone as it was read, and the moment. */
export type TestedPolicy = {
  answer: PolicyAnswer;
  why: string | null;
  /** The source, if the citation adds one to `why`. */
  source?: string | undefined;
  phone: string;
  at: Date;
};

/** Checks hours and dates only; `withHistory` adds what a ledger knows of the phone. */
export function testPolicy(policy: Policy | null, body: unknown): TestedPolicy {
  const { phone, at, state, timezone } = read(policyTestInput, body);
  const number = readPhone(phone);
  if (!number.ok) throw wrong(`The phone ${number.reason}`, 'Give it as +14155550123.');
  const known = state === undefined ? undefined : readState(state);
  if (known === null)
    throw wrong(`${state} is not a state of the US or Canada`, 'Give a code such as TX or ON.');
  if (timezone !== undefined && !isZone(timezone)) {
    throw wrong(`The time zone ${timezone} is not known`, 'Give a name such as America/New_York.');
  }
  const instant = readInstant(at, timezone ?? null);
  if (instant === null)
    throw wrong(`${at} is not a time`, 'Give it as 2026-12-01T09:00:00Z or with an offset.');
  const place = placeOf(number.phone, { zone: timezone, state: known });
  const calendar = compileCalendar(null, policy);
  const found = judge(calendar, place, instant);
  const until = found.until === null ? null : new Date(found.until);
  const about = { phone: number.phone, at: new Date(instant) };
  if (found.open) {
    return { ...about, answer: { allowed: true, rule: null, citation: null, until }, why: null };
  }
  const { rule, citation, text, source } = found;
  // No row is the last to close if all are never open together: naming one would mislead.
  const never = neverOpens(calendar, place, instant);
  if (never) return { ...about, answer: { allowed: false, rule, citation: null, until: null }, why: never };
  return { ...about, answer: { allowed: false, rule, citation, until }, why: text, source };
}

function wrong(message: string, remedy: string): CarillonError {
  return new CarillonError('request-invalid', message, { remedy });
}

const words = {
  cap: 'it was called as often as a cap allows',
  gap: 'the gap after its last call is not over',
  conversation: 'the pause after a conversation is not over',
} as const;

/**
 * The ledger's part of the answer about a phone: the cap, gap or pause that holds it because of earlier calls. The rule
 * that holds longest is the one that is named.
 */
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
