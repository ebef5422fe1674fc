import { z } from 'zod';

/** The interface on the wire, verbatim: what is sent, and what an answer must contain before we rely on it. */

/** Null and absent mean the same to us, and a field that we do not rely on may be anything. */
const text = z.string().nullish().catch(null);
const amount = z.number().nullish().catch(null);
const record = z.record(z.string(), z.unknown()).nullish().catch(null);

export const callRecord = z.looseObject({
  id: z.string().min(1),
  phone_number: text,
  status: z.string().nullish(),
  direction: text,
  org_id: text,
  agent_id: text,
  duration: amount,
  transcript: text,
  recording_url: text,
  cost: amount,
  metadata: record,
  structured_data: record,
  contact_id: text,
  created_at: text,
  updated_at: text,
});
export type CallRecord = z.infer<typeof callRecord>;

export const createdCall = z.looseObject({
  id: z.string().min(1),
  status: text,
  provider_call_sid: text,
  phone_number: text,
  agent_id: text,
  message: text,
  org_id: text,
});
export type CreatedCall = z.infer<typeof createdCall>;

export const phoneNumber = z.looseObject({
  id: z.string().min(1),
  phone_number: z.string().min(1),
  user_id: text,
  org_id: text,
  country_code: text,
  provider: text,
  label: text,
  is_verified: z.boolean().nullish().catch(null),
  capabilities: record,
  inbound_agent_id: text,
  outbound_agent_id: text,
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
