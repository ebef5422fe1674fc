import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { compileCalendar, judge } from '../../rules/calendar/calendar.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { placeOf, placeText, readPlace } from '../../rules/phone/place.ts';
import { readState, zonesOfState } from '../../rules/phone/states.ts';
import { type Policy, policyInput, readPolicy } from '../../rules/policy/policy.ts';
import { readInstant } from '../../rules/time/instant.ts';
import { isZone } from '../../rules/time/zone-clock.ts';
import { orderInput, readOrder } from '../order/order.ts';
import { read, text } from '../requests/input.ts';
import type { ServiceAccess } from '../service/access.ts';

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
  const from = wanted.from === undefined ? clock.now() : readInstant(wanted.from, wanted.timezone ?? null);
  if (from === null) throw wrong('from: must be a time such as 2026-03-01T09:00:00Z');
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

function placeFor({ timezone, state: named, phone }: Wanted, ofOrder: string | null): string {
  const zone = timezone ?? ofOrder ?? undefined;
  if (zone !== undefined && !isZone(zone))
    throw wrong(`timezone: ${zone} is not known; give a name such as America/New_York`);
  const state = named === undefined ? undefined : readState(named);
  if (state === null) throw wrong(`state: ${named} is not a state of the US or Canada, such as TX`);
  if (phone !== undefined) {
    const number = readPhone(phone);
    if (!number.ok) throw wrong(`phone: ${number.reason}`);
    return placeOf(number.phone, { zone, state });
  }
  if (zone === undefined && state === undefined)
    throw wrong('give timezone, state or phone: hours are those of a place');
  const zones = zone === undefined ? zonesOfState(state!) : [zone];
  return placeText({ zones, states: state === undefined ? [] : [state] });
}

function wrong(message: string): CarillonError {
  return new CarillonError('request-invalid', message);
}
