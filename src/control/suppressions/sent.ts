import { z } from 'zod';
import type { SentBody } from '../lists/body.ts';
import { country, read, text, yes } from '../requests/input.ts';
import type { HangUpWait } from '../stopping/hang-ups.ts';
import { type SuppressDeps, suppressedAnswer } from './change.ts';
import { suppressFile } from './import.ts';

/** A list of phones sent as a file: the answer lists unreadable lines, as many as fit. */
export const sentListQuery = z.strictObject({
  campaign: text(300).optional().describe('Suppresses them for this campaign only.'),
  reason: text(500).optional().describe('The reason for rows that have none of their own.'),
  country: country.optional(),
  map: text(2_000)
    .optional()
    .describe(
      'Which column is which, for columns that are not found by name: `phone=COL,reason=COL,until=COL`.',
    ),
  sheet: text(200)
    .optional()
    .describe(
      'The sheet of an XLSX workbook, by its name or its number. A workbook with several is refused without it.',
    ),
  hang_up: yes.optional(),
});

export const sentListAnswer = suppressedAnswer.extend({
  rejected: z.int().describe('Rows that could not be read: their phones are not suppressed.'),
  hint: z.string().optional().describe('What may have been overlooked; absent if nothing was.'),
  rejects: z.array(z.object({ row: z.int(), reason: z.string() })).describe('The first of them.'),
});
type SuppressedList = z.output<typeof sentListAnswer>;

const mostTold = 50;

export async function suppressSent(
  deps: SuppressDeps,
  sent: SentBody,
  query: unknown,
  hangUp: HangUpWait,
): Promise<SuppressedList> {
  const wanted = read(sentListQuery, query);
  const rejects: SuppressedList['rejects'] = [];
  const note = (row: number, reason: string) => {
    if (rejects.length < mostTold) rejects.push({ row, reason });
  };
  return { ...(await suppressFile(deps, sent, wanted, note, hangUp)), rejects };
}
