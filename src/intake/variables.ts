import { quote } from '../rules/phone/phone-text.ts';
import { faultOf, wellFormed } from './json-values.ts';

/**
 * Cells of a declared type: a number, a boolean or JSON is sent to the service as such, and a cell of another type
 * rejects its row.
 */
export const variableTypes = ['text', 'number', 'boolean', 'json'] as const;
type VariableType = (typeof variableTypes)[number];

/** A variable under a name of its own, read from a column. */
export type VariableColumn = { name: string; type: VariableType; column: string };

/** The value of a cell; none for an empty one, unless it is text. */
type CellReading = { value?: unknown; refusal?: undefined } | { refusal: string };

export function readCell({ type, column }: VariableColumn, given: string, comma = false): CellReading {
  const cell = given.trim();
  if (type === 'text') return { value: cell };
  const text = comma && type === 'number' ? cell.replace(/^([+-]?\d+),(\d+)$/, '$1.$2') : cell;
  if (text === '') return {};
  const value = parsers[type](text);
  const refuse = (why: string) => ({ refusal: `${quote(text)} in the column ${quote(column)} ${why}` });
  if (value === undefined) return refuse(`is not ${kinds[type]}`);
  const fault = faultOf(value);
  return fault === null ? { value: wellFormed(value) } : refuse(fault);
}

const kinds = {
  number: 'a number such as 7 or -2.5',
  boolean: 'true or false, yes or no, 1 or 0',
  json: 'JSON',
} as const;

const truths: Record<string, boolean> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

const parsers: Record<Exclude<VariableType, 'text'>, (text: string) => unknown> = {
  // A comma is a decimal one in a file whose cells are separated by semicolons; elsewhere it is not guessed.
  number: (text) => (/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined),
  boolean: (text) => {
    const word = text.toLowerCase();
    return Object.hasOwn(truths, word) ? truths[word] : undefined;
  },
  json: (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  },
};
