/** Dograh's filters of runs: a list in JSON, inside the query. */
import { z } from 'zod';
import { isObject, type Json } from '../shape.ts';

const filter = z.object({ attribute: z.string(), type: z.string(), value: z.unknown() });
export type Filter = z.output<typeof filter>;

/** Undefined if it is not such a list. */
export function readFilters(text: string | undefined): Filter[] | undefined {
  if (text === undefined) return [];
  try {
    return z.array(filter).parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const fields: Record<string, string> = {
  runId: 'id',
  workflowId: 'workflow_id',
  callerNumber: 'caller_number',
  calledNumber: 'called_number',
  dispositionCode: 'disposition',
};

export function isRun(run: Json, filters: readonly Filter[]): boolean {
  return filters.every(({ attribute, value }) => {
    const field = fields[attribute];
    const wanted = isObject(value) ? value.value : value;
    if (field === undefined || wanted === undefined) return true;
    const own = String(run[field] ?? '');
    // Numbers are found by any part of them.
    return field.endsWith('_number')
      ? own.includes(String(wanted))
      : [wanted].flat().map(String).includes(own);
  });
}
