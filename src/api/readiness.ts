import { z } from 'zod';

/** Facts that /readyz reports besides yes or no, in its answer and in its refusal. */
export const clockShape = z.object({
  ahead_ms: z.number().describe('By how much this machine’s clock is ahead of the ledger’s.'),
});

export const loopsShape = z
  .record(z.string(), z.object({ age_ms: z.number(), stuck: z.boolean() }))
  .describe('How long ago each loop of this process ended a round.');
