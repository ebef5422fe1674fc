import { z } from 'zod';

/** What the service's record of a call adds to an answer; null until the service tells it. */
export const kept = {
  duration: z.number().nullable().describe('Seconds.'),
  cost: z.number().nullable(),
  transcript: z.string().nullable(),
  recording_url: z.string().nullable(),
  structured_data: z.unknown().describe('As the service sent it.'),
  provider_call_sid: z.string().nullable(),
  direction: z.string().nullable(),
  contact_id: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
};
