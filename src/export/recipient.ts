import { z } from 'zod';
import type { ResultLine } from '../ledger/reports/reports.ts';
import type { Waiting } from '../ledger/reports/waiting.ts';
import { recipientStates } from '../ledger/states.ts';
import { neverWords } from '../rules/calendar/calendar.ts';
import { callerText } from '../rules/order.ts';
import { type Wait, waitReasons } from '../rules/wait-reason.ts';
import { type Outcome, outcomes } from '../voice/outcomes.ts';
import { kept, keptOf } from './record-fields.ts';

/** One person on one campaign as the API, `--json` and NDJSON show them. */
export type RecipientLine = Omit<ResultLine, keyof Waiting>;

export const recipientShape = z
  .object({
    id: z.string(),
    campaign: z.string().describe('The campaign’s name.'),
    row: z.int().describe('The place in the campaign’s list.'),
    phone: z.string().describe('Of several numbers the one that was reached, else the last one tried.'),
    name: z.string().nullable(),
    state: z.enum(recipientStates),
    reason: z
      .enum([...waitReasons, 'never'])
      .nullable()
      .describe(
        'Why it waits; `never` for a skipped row that no rule can open any more, as `error` explains; else null.',
      ),
    until: z.date().nullable().describe('Until when it waits; null where an event ends the wait.'),
    callback_at: z
      .date()
      .nullable()
      .describe('When the person asked, on a call, to be called back; null once they were.'),
    outcome: z.enum(outcomes).nullable(),
    attempts: z.int(),
    call_id: z.string().nullable().describe('The service’s id of the call.'),
    status: z.string().nullable().describe('In the service’s words.'),
    started_at: z.date().nullable(),
    ended_at: z.date().nullable(),
    ...kept,
    agent: z
      .string()
      .nullable()
      .describe(
        'The agent of the attempt whose result this is; before any attempt, the agent that the row asks for.',
      ),
    key: z.string().nullable(),
    from: z.string().nullable(),
    phones: z
      .array(z.object({ phone: z.string(), passed: z.string().nullable().describe('Why it is not called.') }))
      .nullable()
      .describe('All numbers of a person who has several, in the order in which they are tried; else null.')
      .meta({
        examples: [
          [
            { phone: '+14155550123', passed: null },
            { phone: '+14155550124', passed: 'suppressed' },
          ],
        ],
      }),
    error: z.string().nullable(),
    erased_at: z
      .date()
      .nullable()
      .describe('When the person’s data was erased; after an erasure on request, the phone is empty too.'),
    input: z.record(z.string(), z.unknown()).describe('As it was given.'),
  })
  .meta({ id: 'Recipient' });

/** The ledger keeps the explanation; programs read one word. */
function isNever({ state, error }: RecipientLine): boolean {
  return state === 'skipped' && error !== null && error.startsWith(neverWords);
}

export type Recipient = z.output<typeof recipientShape>;

/** `waits` is null for a row that does not wait. */
export function showRecipient(line: RecipientLine, campaign: string, waits: Wait | null): Recipient {
  return {
    id: String(line.id),
    campaign,
    row: line.row,
    phone: line.phone,
    name: line.name,
    state: line.state,
    reason: waits?.reason ?? (isNever(line) ? 'never' : null),
    until: waits?.until ?? null,
    callback_at: line.callbackAt,
    outcome: line.outcome as Outcome | null,
    attempts: line.attempts,
    call_id: line.callId,
    status: line.status,
    started_at: line.startedAt,
    ended_at: line.endedAt,
    ...keptOf(line),
    agent: line.agent,
    key: line.callKey,
    from: callerText(line.callFrom),
    phones: line.phones,
    error: line.error,
    erased_at: line.erasedAt,
    input: line.input,
  };
}
