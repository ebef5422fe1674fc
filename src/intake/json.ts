import { type BatchLimits, createGathering, weightOf } from './batches.ts';
import { type Batch, createScreen, type ScreenOptions } from './recipients.ts';

/** Reads recipients from JSON objects, with the same rules as for the rows of a file. */
export type JsonOptions = ScreenOptions & BatchLimits;

const own = ['phone', 'phone_number', 'name', 'timezone', 'variables'];

/** Rows count from 1. Keys that a campaign does not use are variables, in addition to those in `variables`. */
export async function* readJsonRecipients(
  values: Iterable<unknown> | AsyncIterable<unknown>,
  options: JsonOptions = {},
): AsyncGenerator<Batch> {
  const screen = createScreen(options, 'item');
  const gathering = createGathering(options);
  let row = 0;
  for await (const value of values) {
    row++;
    const { batch } = gathering;
    const fields = fieldsOf(value);
    if (typeof fields === 'string') batch.rejected.push({ row, reason: fields, input: {} });
    else {
      const { phone, name, timezone, input, variables } = fields;
      const known = screen.check(row, phone, timezone);
      if (known.refusal !== undefined) {
        batch.rejected.push({ row, reason: known.refusal, input, phone: known.phone });
      } else {
        const { phone: number, zones } = known;
        batch.accepted.push({ row, phone: number, zones, name: name.trim() || null, input, variables });
      }
    }
    gathering.count(typeof fields === 'string' ? 0 : weightOf(fields.input));
    if (gathering.isFull()) yield gathering.take();
  }
  if (!gathering.isEmpty()) yield gathering.take();
}

function fieldsOf(value: unknown) {
  if (!isObject(value)) return 'is not an object with a phone';
  const extra = value.variables ?? {};
  if (!isObject(extra)) return 'has variables that are not an object';
  const phone = value.phone ?? value.phone_number ?? '';
  if (typeof phone !== 'string' && typeof phone !== 'number') return 'has a phone that is not text';
  for (const key of ['name', 'timezone']) {
    if (!['string', 'number', 'undefined'].includes(typeof (value[key] ?? undefined)))
      return `has a ${key} that is not text`;
  }
  const rest = Object.entries(value).filter(([key]) => !own.includes(key));
  const given = Object.entries(value).filter(([key]) => key !== 'variables');
  let variables: Record<string, string>;
  let input: Record<string, string>;
  try {
    variables = textual([...rest, ...Object.entries(extra)]);
    input = { ...textual(given), ...variables };
  } catch (error) {
    // A value that can be parsed may still be too deep to be written.
    if (error instanceof RangeError) return 'has a value that is nested too deeply';
    throw error;
  }
  if (Object.entries(input).some(([key, text]) => key.includes('\0') || text.includes('\0'))) {
    return 'contains a NUL character';
  }
  return {
    phone: textOf(phone),
    name: textOf(value.name),
    timezone: textOf(value.timezone),
    input,
    variables,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textual(entries: [string, unknown][]): Record<string, string> {
  return Object.fromEntries(entries.map(([key, value]) => [wellFormed(key), textOf(value)]));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return wellFormed(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** The ledger does not accept half a surrogate pair. */
function wellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed();
}
