import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { compileCalendar, judge, neverOpens } from '../../rules/calendar/calendar.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { placeOf, placeText, readPlace } from '../../rules/phone/place.ts';
import { readState, zonesOfState } from '../../rules/phone/states.ts';
import { type Policy, policyInput, readPolicy } from '../../rules/policy/policy.ts';
import { readInstant } from '../../rules/time/instant.ts';
import { isZone } from '../../rules/time/zone-clock.ts';
import { orderInput, readOrder } from '../order/order.ts';
import { read, text } from '../requests/input.ts';
import type { ServiceAccess } from '../service/access.ts';

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
  const { at, ...where } = read(policyTestInput, body);
  const { phone, zone, state } = readWhere(where);
  const instant = readTime('at', at, zone);
  const place = placeOf(phone!, { zone, state });
  const calendar = compileCalendar(null, policy);
  const found = judge(calendar, place, instant);
  const until = found.until === null ? null : new Date(found.until);
  const about = { phone: phone!, at: new Date(instant) };
  if (found.open) {
    return { ...about, answer: { allowed: true, rule: null, citation: null, until }, why: null };
  }
  const { rule, citation, text, source } = found;
  // No row is the last to close if all are never open together: naming one would mislead.
  const never = neverOpens(calendar, place, instant);
  if (never) return { ...about, answer: { allowed: false, rule, citation: null, until: null }, why: never };
  return { ...about, answer: { allowed: false, rule, citation, until }, why: text, source };
}

type Where = { phone?: string | undefined; state?: string | undefined; timezone?: string | undefined };

/** Where a person is, by what a request names; throws for what is not known. */
function readWhere({ phone, state: named, timezone: zone }: Where) {
  const number = phone === undefined ? undefined : readPhone(phone);
  if (number && !number.ok) throw wrong(`phone: ${number.reason}`, 'Give it as +14155550123.');
  const state = named === undefined ? undefined : readState(named);
  if (state === null)
    throw wrong(`state: ${named} is not a state of the US or Canada`, 'Give a code such as TX or ON.');
  if (zone !== undefined && !isZone(zone))
    throw wrong(`timezone: ${zone} is not known`, 'Give a name such as America/New_York.');
  return { phone: number?.phone, state, zone };
}

function readTime(field: string, given: string, zone: string | undefined): number {
  const at = readInstant(given, zone ?? null);
  if (at !== null) return at;
  throw wrong(`${field}: ${given} is not a time`, 'Give it as 2026-12-01T09:00:00Z or with an offset.');
}

function wrong(message: string, remedy?: string): CarillonError {
  return new CarillonError('request-invalid', message, remedy === undefined ? {} : { remedy });
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

/** The hours of some days in which a person may be called, by an order and the contact rules. */
export const callingHoursInput = z.strictObject({
  order: orderInput.partial().optional().describe('An order; here every field may be left out.'),
  campaign: text(300).optional().describe('The order of this campaign, in place of `order`.'),
  policy: policyInput
    .nullable()
    .optional()
    .describe('Contact rules; by default those in force. Null means none.'),
  timezone: text(100)
    .optional()
    .describe('Where the person is; without it, the order’s time zone or the phone’s.'),
  state: text(100).optional(),
  phone: text(100).optional(),
  from: text(100).optional().describe('By default now.'),
  days: z.int().min(1).max(14).default(7),
});

export const callingHoursAnswer = z
  .object({
    timezones: z.array(z.string()).describe('Where the person may be; all of them must be open.'),
    states: z.array(z.string()),
    from: z.date().meta({ examples: ['2026-12-01T14:00:00.000Z'] }),
    until: z.date(),
    spans: z.array(
      z.object({
        from: z.date().meta({ examples: ['2026-12-01T14:00:00.000Z'] }),
        until: z.date(),
        open: z.boolean(),
        rule: z
          .string()
          .nullable()
          .describe('The rule that closes it first: `window`, `date`, `legal-hours`, `start` or `ended`.'),
        why: z.string().nullable(),
        citation: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Week' });
type CallingHours = z.output<typeof callingHoursAnswer>;

type HoursDeps = Pick<ServiceAccess, 'ledger' | 'clock'>;
type Wanted = z.output<typeof callingHoursInput>;

/** More than two weeks of rules can hold: one span per quarter of an hour. */
const mostSpans = 1_500;

export async function showCallingHours({ ledger, clock }: HoursDeps, body: unknown): Promise<CallingHours> {
  const wanted = read(callingHoursInput, body);
  const { times, timezone } = await orderOf({ ledger }, wanted);
  const policy = await policyOf({ ledger }, wanted.policy, body);
  const calendar = compileCalendar(times, policy);
  const place = placeFor(wanted, timezone);
  const from = wanted.from === undefined ? clock.now() : readTime('from', wanted.from, wanted.timezone);
  const until = from + wanted.days * 86_400_000;
  const spans: CallingHours['spans'] = [];
  for (let at = from; at < until && spans.length < mostSpans; ) {
    const found = judge(calendar, place, at);
    const end = Math.min(found.until ?? until, until);
    const why = found.open
      ? { rule: null, why: null, citation: null }
      : { rule: found.rule, why: found.text, citation: found.citation };
    spans.push({ from: new Date(at), until: new Date(end), open: found.open, ...why });
    at = Math.max(end, at + 1);
  }
  const { zones, states } = readPlace(place);
  return { timezones: [...zones], states: [...states], from: new Date(from), until: new Date(until), spans };
}

async function orderOf({ ledger }: Pick<ServiceAccess, 'ledger'>, { campaign, order }: Wanted) {
  if (campaign !== undefined && order !== undefined) throw wrong('give order or campaign, not both');
  if (campaign !== undefined) return ledger.campaigns.get(campaign);
  return readOrder({ ...order, agent: order?.agent ?? 'none' });
}

async function policyOf(
  { ledger }: Pick<ServiceAccess, 'ledger'>,
  given: unknown,
  body: unknown,
): Promise<Policy | null> {
  // The policy as it was written: the forms that were read from it differ.
  if (given !== undefined) return given === null ? null : readPolicy((body as { policy: unknown }).policy);
  await ledger.policies.refresh();
  return ledger.policyInForce();
}

function placeFor({ timezone, ...where }: Wanted, ofOrder: string | null): string {
  const { phone, zone, state } = readWhere({ ...where, timezone: timezone ?? ofOrder ?? undefined });
  if (phone !== undefined) return placeOf(phone, { zone, state });
  if (zone === undefined && state === undefined)
    throw wrong('give timezone, state or phone: hours are those of a place');
  const zones = zone === undefined ? zonesOfState(state!) : [zone];
  return placeText({ zones, states: state === undefined ? [] : [state] });
}
