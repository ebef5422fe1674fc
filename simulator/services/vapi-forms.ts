/** The forms of requests to Vapi. */
import { z } from 'zod';
import { moment, whole } from '../shape.ts';
import { iso } from '../view.ts';

const overrides = z.strictObject({
  ...Object.fromEntries(
    [
      ...[
        'transcriber',
        'model',
        'voice',
        'voicemailDetection',
        'transportConfigurations',
        'observabilityPlan',
      ],
      ...[
        'firstMessageInterruptionsEnabled',
        'firstMessageMode',
        'clientMessages',
        'serverMessages',
        'server',
      ],
      ...['backgroundSound', 'modelOutputInMessagesEnabled', 'credentials', 'hooks', 'tools:append'],
      ...[
        'endCallPhrases',
        'compliancePlan',
        'backgroundSpeechDenoisingPlan',
        'analysisPlan',
        'artifactPlan',
      ],
      ...['startSpeakingPlan', 'stopSpeakingPlan', 'monitorPlan', 'credentialIds', 'keypadInputPlan'],
    ].map((name) => [name, z.unknown().optional()]),
  ),
  firstMessage: z.string().optional(),
  maxDurationSeconds: z.number().min(10).max(43_200).optional(),
  name: z.string().max(40).optional(),
  voicemailMessage: z.string().max(1000).optional(),
  endCallMessage: z.string().max(1000).optional(),
  variableValues: z.record(z.string(), z.unknown()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

const object = z.record(z.string(), z.unknown()).optional();
const person = z.strictObject({
  number: z.string().min(3).max(40).optional(),
  numberE164CheckEnabled: z.boolean().optional(),
  extension: z.string().max(10).optional(),
  name: z.string().max(40).optional(),
  email: z.string().max(40).optional(),
  externalId: z.string().max(40).optional(),
  sipUri: z.string().optional(),
  assistantOverrides: overrides.optional(),
  squadOverrides: object,
});

export const vapiCreate = z.strictObject({
  name: z.string().max(40).optional(),
  assistantId: z.string().optional(),
  assistant: object,
  assistantVersion: z.string().nullable().optional(),
  assistantOverrides: overrides.optional(),
  squadId: z.string().optional(),
  squad: object,
  squadOverrides: object,
  workflowId: z.string().optional(),
  workflow: object,
  workflowOverrides: object,
  phoneNumberId: z.string().optional(),
  phoneNumber: object,
  customerId: z.string().optional(),
  customer: person.optional(),
  customers: z.array(person).optional(),
  schedulePlan: z.strictObject({ earliestAt: z.string(), latestAt: z.string().optional() }).optional(),
  transport: object,
});

const times = Object.fromEntries(
  ['createdAt', 'updatedAt'].flatMap((name) =>
    ['Gt', 'Lt', 'Ge', 'Le'].map((op) => [name + op, moment.optional()]),
  ),
) as Record<`${'createdAt' | 'updatedAt'}${'Gt' | 'Lt' | 'Ge' | 'Le'}`, z.ZodOptional<typeof moment>>;
export const vapiPage = z.object({ limit: whole(0, 1000).default(100), ...times });
export const vapiFilters = vapiPage.extend({
  id: z.string().optional(),
  assistantId: z.string().optional(),
  phoneNumberId: z.string().optional(),
});

export const vapiCommand = z.strictObject({ type: z.literal('end-call') });

type Times = { [key in keyof typeof times]?: number | undefined };

export function isWithin(at: number, name: 'createdAt' | 'updatedAt', wanted: Times): boolean {
  // Times on the wire have whole milliseconds.
  const time = Date.parse(iso(at));
  const {
    [`${name}Gt`]: gt,
    [`${name}Lt`]: lt,
    [`${name}Ge`]: ge,
    [`${name}Le`]: le,
  } = wanted as Record<string, number | undefined>;
  if (gt !== undefined && time <= gt) return false;
  if (lt !== undefined && time >= lt) return false;
  return (ge === undefined || time >= ge) && (le === undefined || time <= le);
}
