import { z } from 'zod';
import type { ShownRecord } from '../ledger/kept-record.ts';
import type { ResultLine } from '../ledger/reports/reports.ts';

/**
 * The fields that the service's record of a call adds to a result, each with one name: its column in the ledger, its
 * name in JSON, NDJSON and CSV, and in the API's description. Null until the service sends it.
 */
export const kept = {
  duration: z.number().nullable().describe('Seconds.'),
  cost: z.number().nullable(),
  currency: z
    .string()
    .nullable()
    .describe('The currency of the cost; null if the service does not report it.'),
  ended_reason: z.string().nullable().describe('The service’s own word for why the call ended.'),
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

type Kept = z.output<z.ZodObject<typeof kept>>;
const names = Object.keys(kept) as (keyof Kept)[];

/** These fields of a line, under the same names. */
export function keptOf(line: ShownRecord): Kept {
  return Object.fromEntries(names.map((name) => [name, line[name]])) as Kept;
}

/** A whole record, put together again from its columns and the rest. */
export const recordShape = z
  .looseObject({
    agent_id: z.string().nullish(),
    created_at: z.string().nullish(),
    updated_at: z.string().nullish(),
  })
  .nullable()
  .describe(
    'The record as the service last reported it; null until the call has ended, and after an erasure.',
  );

type WithRecord = Pick<ResultLine, 'callId' | 'status'> &
  ShownRecord & { record: Record<string, unknown> | null };

export function showRecord(line: WithRecord): z.output<typeof recordShape> {
  if (line.record === null || line.callId === null) return null;
  const { org_id: _org, agent_id: _agent, currency, ended_reason, ...columns } = keptOf(line);
  return {
    id: line.callId,
    ...line.record,
    status: line.status,
    ...columns,
    ...(currency === null ? {} : { currency }),
    ...(ended_reason === null ? {} : { ended_reason }),
  } as z.output<typeof recordShape>;
}
