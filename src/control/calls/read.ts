import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { readJsonRecipients } from '../../intake/json.ts';
import type { AcceptedRow } from '../../intake/recipients.ts';
import type { Caller } from '../../rules/order.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { readOrder } from '../order/order.ts';
import { country, read, text } from '../requests/input.ts';

/** The order of a single call: who is called, by which agent, from which number. */
export const callInput = z.strictObject({
  agent: text(200),
  phone: text(64).describe('E.164, or national form with `country`.'),
  name: text(500).optional(),
  from: text(64).optional().describe('The caller number; else the service chooses.'),
  number_id: text(200).optional(),
  variables: z.record(z.string(), z.unknown()).optional(),
  override: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The settings of its agent that the call overrides, sent as the profile says.'),
  country: country.optional(),
  ignore_policy: z.boolean().optional(),
});

export type SingleOrder = {
  agentId: string;
  caller: Caller | null;
  override: Record<string, unknown> | null;
  /** The call ignores hours, caps, gaps and dates; a suppression, or another call to the phone, still holds it. */
  ignoresPolicy: boolean;
  person: AcceptedRow;
};

export async function readCall(body: unknown): Promise<SingleOrder> {
  const wanted = read(callInput, body);
  if (wanted.from !== undefined && wanted.number_id !== undefined) {
    throw new CarillonError('request-invalid', 'number_id: cannot be combined with from');
  }
  const { callers, override } = readOrder({
    agent: wanted.agent,
    from: wanted.from === undefined ? [] : [wanted.from],
    number_ids: wanted.number_id === undefined ? [] : [wanted.number_id],
    override: wanted.override,
  });
  const [caller = null] = callers;
  if (caller && 'listed' in caller)
    throw new CarillonError('request-invalid', `from: ${caller.listed} is not one number`, {
      remedy: 'Write the number with its "+" and country code, for example +14155550123.',
    });
  const ignoresPolicy = wanted.ignore_policy === true;
  const person = await readPerson(wanted);
  return { agentId: wanted.agent, caller, override, ignoresPolicy, person };
}

async function readPerson({
  phone,
  name,
  variables = {},
  ...rest
}: z.output<typeof callInput>): Promise<AcceptedRow> {
  for await (const batch of readJsonRecipients([{ phone, name, variables }], { country: rest.country })) {
    const [accepted] = batch.accepted;
    if (accepted) return accepted;
    const reason = batch.rejected[0]?.reason;
    if (readPhone(phone, rest.country).ok) throw new CarillonError('request-invalid', `variables: ${reason}`);
    throw new CarillonError('request-invalid', `phone: ${reason}`, {
      remedy: 'Write the number with its "+" and country code, for example +14155550123.',
    });
  }
  throw new CarillonError('request-invalid', 'phone: is missing');
}

export function suppressed(phone: string): CarillonError {
  return new CarillonError('phone-suppressed', `${phone} is suppressed and was not called`);
}
