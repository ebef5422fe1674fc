import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { type ColumnMap, findColumn, parseMap } from '../../intake/columns.ts';
import { openCsv } from '../../intake/csv.ts';
import type { RowBatch } from '../../intake/recipients.ts';
import type { Intake } from '../../intake/table.ts';
import { openWorkbook } from '../../intake/xlsx/workbook.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  type NewSuppression,
  type SuppressionSource,
  suppressionSources,
} from '../../ledger/suppressions/suppressions.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { readUntil } from '../../rules/time/instant.ts';
import type { SentBody } from '../lists/body.ts';
import { country, read, text, yes } from '../requests/input.ts';
import { awaitLastSends, type HangUpWait } from '../stopping/hang-ups.ts';
import { type SuppressDeps, type Suppressed, scopeOf, suppressedAnswer } from './change.ts';

/** The options of a list of phones that is a file. */
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

type SuppressedFile = Suppressed & { rejected: number; hint?: string };

/**
 * Suppresses every phone of a CSV file or a workbook. An unreadable row may be somebody who must not be called, so each
 * is reported; so may be everybody of a sheet that is not read, so a workbook of several is refused.
 */
export async function suppressFile(
  deps: SuppressDeps,
  { source, format }: SentBody,
  input: unknown,
  refused: (row: number, reason: string) => void,
  hangUp: HangUpWait,
): Promise<SuppressedFile> {
  const { ledger, clock } = deps;
  const wanted = read(sentListQuery, input);
  const leaving: string[] = [];
  const live: string[] = [];
  const { map, ...others } = readMap(wanted.map);
  const scope = await scopeOf(ledger, wanted.campaign);
  const open = format === 'xlsx' ? openWorkbook : openCsv;
  const intake = await open(source, { country: wanted.country, map, sheet: wanted.sheet });
  const done = { phones: 0, added: 0, known: 0, skipped: 0, rejected: 0 };
  try {
    if (wanted.sheet === undefined) checkSheets(intake.sheets ?? []);
    const columns = findColumns(intake, others);
    const reader = createReader(ledger, columns, { ...wanted, scope, now: clock.now() });
    for await (const batch of intake.batches) {
      const told = await reader(batch, (row, reason) => {
        done.rejected += 1;
        refused(row, reason);
      });
      for (const [campaign, entries] of told) {
        const { added, skipped, calls } = await ledger.suppressions.add(entries, campaign, wanted.hang_up);
        live.push(...calls);
        const numbers = entries.map((each) => each.phone);
        if ((await ledger.attempts.leaving(null, numbers)).leaving > 0) leaving.push(...numbers);
        done.phones += entries.length;
        done.added += added;
        done.known += entries.length - added;
        done.skipped += skipped;
      }
    }
  } finally {
    await intake.close();
    // Recorded even for a file that breaks later: the lines read before that are on the list.
    const after = { source: 'import', ...done };
    if (done.phones > 0) await ledger.activity.record({ verb: 'suppression.add', campaign: scope, after });
  }
  const quiet = leaving.length > 0 ? awaitLastSends(deps, { phones: leaving }) : null;
  const [hungUp] = await Promise.all([wanted.hang_up && hangUp(live), quiet]);
  if (done.phones === 0 && done.rejected > 0) {
    throw new CarillonError('file-broken', `None of the file’s ${done.rejected} rows can be read`, {
      remedy:
        'Nobody was suppressed. Correct what the lines above name; --country helps with national numbers.',
    });
  }
  const { hint } = intake;
  return { ...done, ...(hungUp && { hang_ups: hungUp }), ...(hint !== null && { hint }) };
}

const mostNamed = 20;

function checkSheets(sheets: readonly string[]): void {
  if (sheets.length < 2) return;
  const named = sheets.slice(0, mostNamed).map((name) => JSON.stringify(name));
  throw new CarillonError('usage-invalid', `The workbook has ${sheets.length} sheets: ${named.join(', ')}`, {
    remedy:
      'Nobody was suppressed. Name the one to read with the option sheet, and import each that has phones.',
  });
}

type Columns = {
  phone: string;
  reason: string | null;
  until: string | null;
  source: string | null;
  campaign: string | null;
};
type Defaults = {
  country?: string | undefined;
  reason?: string | undefined;
  scope: string | null;
  now: number;
};

/** Sorts a batch by the campaigns that may not call; each unreadable row is refused. */
function createReader(ledger: Ledger, columns: Columns, defaults: Defaults) {
  const scopes = new Map<string, string | null>();
  const scopeNamed = async (name: string): Promise<string | null> => {
    if (!scopes.has(name)) scopes.set(name, (await ledger.campaigns.find(name))?.id ?? null);
    return scopes.get(name)!;
  };

  return async ({ accepted, rejected }: RowBatch, refuse: (row: number, reason: string) => void) => {
    const told = new Map<string | null, NewSuppression[]>();
    // A phone may occur twice, for two campaigns or with two ends.
    const twins =
      columns.until === null && columns.campaign === null ? [] : rejected.filter((row) => row.isTwin);
    const rows = [...accepted, ...twins.map((row) => ({ ...row, phone: phoneOf(row.input) }))];
    for (const { row, reason, isTwin } of rejected) if (!isTwin) refuse(row, reason);
    for (const { row, phone, input } of rows) {
      const cell = (column: string | null) => (column === null ? '' : String(input[column] ?? '').trim());
      const name = cell(columns.campaign);
      const scope = name === '' ? defaults.scope : await scopeNamed(name);
      const end = cell(columns.until);
      const at = end === '' ? null : readUntil(end, defaults.now);
      if (name !== '' && scope === null) refuse(row, `no campaign is named "${name}"`);
      else if (end !== '' && at === null) refuse(row, `the end "${end}" is neither a time nor a span`);
      // An end that has passed suppresses nothing.
      else if (at === null || at > defaults.now) {
        const entry = {
          phone,
          source: sourceOf(cell(columns.source)),
          // An export neutralises text that a spreadsheet would run.
          reason: cell(columns.reason).replace(/^'(?=\s*[=+@-])/, '') || (defaults.reason ?? null),
          until: at === null ? null : new Date(at),
        };
        told.set(scope, [...(told.get(scope) ?? []), entry]);
      }
    }
    return told;
  };

  function phoneOf(input: Record<string, unknown>): string {
    const reading = readPhone(String(input[columns.phone]), defaults.country);
    return reading.ok ? reading.phone : '';
  }
}

/** An exported list keeps where each number came from. */
function sourceOf(cell: string): SuppressionSource {
  return suppressionSources.find((each) => each === cell.toLowerCase()) ?? 'import';
}

/** `phone=COL,reason=COL,until=COL`: the roles of a list of people, and two of its own. */
function readMap(text = ''): { map: ColumnMap; reason?: string; until?: string } {
  const others: { reason?: string; until?: string } = {};
  const phone: string[] = [];
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [, role = '', column = ''] = /^\s*(phone|reason|until)\s*=\s*(.*?)\s*$/i.exec(part) ?? [];
    const known = role.toLowerCase();
    if (known === 'phone') phone.push(part);
    else if (known !== '' && column !== '') others[known as keyof typeof others] = column;
    else
      throw new CarillonError('usage-invalid', `--map does not accept "${part.trim()}"`, {
        remedy: 'Use phone=COL, reason=COL or until=COL, separated by commas.',
      });
  }
  return { ...others, map: parseMap(phone.join(',')) };
}

function findColumns(
  { columns, mapping }: Pick<Intake, 'columns' | 'mapping'>,
  wanted: { reason?: string; until?: string },
): Columns {
  const named = (role: 'reason' | 'until') => {
    const found = findColumn(columns, [wanted[role] ?? role]);
    if (wanted[role] === undefined || found !== null) return found;
    throw new CarillonError('usage-invalid', `The file has no column named "${wanted[role]}"`, {
      remedy: `Its columns are ${columns.slice(0, 30).join(', ')}.`,
    });
  };
  return {
    phone: mapping.phone,
    reason: named('reason'),
    until: named('until'),
    source: findColumn(columns, ['source']),
    campaign: findColumn(columns, ['only_campaign']),
  };
}

/** Of a list that is sent, the answer lists unreadable lines, as many as fit. */
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
  const rejects: SuppressedList['rejects'] = [];
  const note = (row: number, reason: string) => {
    if (rejects.length < mostTold) rejects.push({ row, reason });
  };
  return { ...(await suppressFile(deps, sent, query, note, hangUp)), rejects };
}
