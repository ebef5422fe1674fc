import { z } from 'zod';

/** The interface on the wire, verbatim: what is sent, and what an answer must contain before we rely on it. */

/**
 * Null and absent mean the same to us, and so does a value of another kind than the interface names: an answer with one
 * odd field is still good for the others. Only a call's id is indispensable.
 */
const text = z.string().nullish().catch(null);
const amount = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+(\.\d+)?$/)
      .transform(Number),
  ])
  .nullish()
  .catch(null);
const record = z.record(z.string(), z.unknown()).nullish().catch(null);

/** A name that some services write as a number. One that is too large has lost digits: it names something else. */
const wholeAsText = z.int().transform(String);
const id = z.union([z.string().min(1), wholeAsText]);
const name = z.union([z.string(), wholeAsText]).nullish().catch(null);

export const callRecord = z.looseObject({
  id,
  phone_number: name,
  status: text,
  direction: text,
  org_id: name,
  agent_id: name,
  duration: amount,
  transcript: text,
  recording_url: text,
  cost: amount,
  metadata: record,
  structured_data: record,
  contact_id: name,
  /** Only the create's answer names it. */
  provider_call_sid: name,
  created_at: text,
  updated_at: text,
});
export type CallRecord = z.infer<typeof callRecord>;

export const createdCall = z.looseObject({
  id,
  status: text,
  provider_call_sid: name,
  phone_number: name,
  agent_id: name,
  message: text,
  org_id: name,
});
export type CreatedCall = z.infer<typeof createdCall>;

export const phoneNumber = z.looseObject({
  id,
  phone_number: id,
  user_id: name,
  org_id: name,
  country_code: text,
  provider: text,
  label: text,
  is_verified: z.boolean().nullish().catch(null),
  capabilities: record,
  inbound_agent_id: name,
  outbound_agent_id: name,
  sms_enabled: z.boolean().nullish().catch(null),
  server_url: text,
  fallback_phone_number: text,
  provider_account_sid: text,
  created_at: text,
  updated_at: text,
});
export type PhoneNumber = z.infer<typeof phoneNumber>;

export const phoneNumberPage = z.array(phoneNumber);

export const validationError = z.looseObject({
  detail: z.array(
    z.looseObject({
      loc: z.array(z.union([z.string(), z.number()])),
      msg: z.string(),
      type: z.string(),
      input: z.unknown().optional(),
      ctx: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});
export type ValidationError = z.infer<typeof validationError>;
