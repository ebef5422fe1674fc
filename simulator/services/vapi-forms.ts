/** The forms of requests to Vapi. */
import { z } from 'zod';
import { anyObject, moment, optional, whole } from '../shape.ts';

const short = z.string().max(40);
const any = z.unknown();
const overrides = z.strictObject({
  // Taken as they are.
  ...optional(any, 'transcriber', 'model', 'voice', 'voicemailDetection', 'transportConfigurations'),
  ...optional(any, 'observabilityPlan', 'firstMessageInterruptionsEnabled', 'firstMessageMode'),
  ...optional(any, 'clientMessages', 'serverMessages', 'server', 'backgroundSound', 'credentials', 'hooks'),
  ...optional(any, 'modelOutputInMessagesEnabled', 'tools:append', 'endCallPhrases', 'compliancePlan'),
  ...optional(any, 'backgroundSpeechDenoisingPlan', 'analysisPlan', 'artifactPlan', 'startSpeakingPlan'),
  ...optional(any, 'stopSpeakingPlan', 'monitorPlan', 'credentialIds', 'keypadInputPlan'),
  firstMessage: z.string().optional(),
  maxDurationSeconds: z.number().min(10).max(43_200).optional(),
  name: short.optional(),
  ...optional(z.string().max(1000), 'voicemailMessage', 'endCallMessage'),
  ...optional(anyObject, 'variableValues', 'metadata'),
});

export const vapiCreate = z.strictObject({
  name: short.optional(),
  assistantId: z.string().optional(),
  assistantVersion: z.string().nullable().optional(),
  assistantOverrides: overrides.optional(),
  phoneNumberId: z.string().optional(),
  ...optional(anyObject, 'assistant', 'phoneNumber', 'transport'),
  customer: z
    .strictObject({
      number: z.string().min(3).max(40).optional(),
      numberE164CheckEnabled: z.boolean().optional(),
      extension: z.string().max(10).optional(),
      ...optional(short, 'name', 'email', 'externalId'),
      assistantOverrides: overrides.optional(),
    })
    .optional(),
});

export const vapiPage = z.object({
  limit: whole(0, 1000).default(100),
  createdAtGe: moment.optional(),
  createdAtLt: moment.optional(),
});
export const vapiFilters = vapiPage.extend({ assistantId: z.string().optional() });
export const vapiCommand = z.strictObject({ type: z.literal('end-call') });
