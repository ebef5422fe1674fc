import { z } from 'zod';
import type { KeptRecord } from '../ledger/record.ts';
import type { ResultLine } from '../ledger/reports/verbs.ts';

/** The fields that the service's record of a call adds to an answer; null until the service tells it. */
export const kept = {
  duration: z.number().nullable().describe('Seconds.'),
  cost: z.number().nullable(),
  transcript: z.string().nullable(),
  recording_url: z.string().nullable(),
  structured_data: z.unknown().describe('As the service sent it.'),
  provider_call_sid: z.string().nullable(),
  direction: z.string().nullable(),
  contact_id: z.string().nullable(),
  org_id: z.string().nullable(),
  agent_id: z.string().nullable().describe('The service’s name for the agent that spoke.'),
  metadata: z.record(z.string(), z.unknown()).nullable(),
};

/** A whole record, put together again from its columns and the rest. */
export const recordShape = z
  .looseObject({
    agent_id: z.string().nullish(),
    created_at: z.string().nullish(),
    updated_at: z.string().nullish(),
  })
  .nullable()
  .describe('As the service told it last; null until the call has ended, and after it was erased.');

type WithRecord = Pick<ResultLine, 'callId' | 'status' | keyof KeptRecord> & {
  record: Record<string, unknown> | null;
};

export function showRecord(line: WithRecord): z.output<typeof recordShape> {
  if (line.record === null || line.callId === null) return null;
  return {
    id: line.callId,
    ...line.record,
    status: line.status,
    direction: line.direction,
    duration: line.duration,
    transcript: line.transcript,
    recording_url: line.recordingUrl,
    cost: line.cost,
    metadata: line.metadata,
    structured_data: line.structuredData,
    contact_id: line.contactId,
    provider_call_sid: line.providerCallSid,
  };
}
