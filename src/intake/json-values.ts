import { readFileSync } from 'node:fs';
import { readNamedFile } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';
import { unreadable } from './source.ts';

/** The JSON values that the ledger can keep and give back as they were. */

/** No person's data is deeper, and recursing into a value of any depth may end the process. */
const deepest = 100;

/** Why a value cannot be kept as it is; null when it can. */
export function faultOf(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return value.includes('\0') ? 'contains a NUL character' : null;
  if (typeof value === 'number')
    return isExact(value) ? null : 'contains a number that is too long: write it as text';
  if (typeof value !== 'object' || value === null) return null;
  if (depth === deepest) return 'has a value that is nested too deeply';
  for (const key in value) {
    const fault = faultOf(key) ?? faultOf((value as Record<string, unknown>)[key], depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** A whole number beyond 2^53 has already lost digits when it is read. */
function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

/**
 * Half a surrogate pair is not a character, and the ledger does not accept it. Almost every value is returned
 * unchanged.
 */
export function wellFormed<T>(value: T): T {
  return isWellFormed(value) ? value : (whole(value) as T);
}

type Text = string & { isWellFormed(): boolean; toWellFormed(): string };

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return (value as Text).isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const key in value) {
    if (!(key as Text).isWellFormed() || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function whole(value: unknown): unknown {
  if (typeof value === 'string') return (value as Text).toWellFormed();
  if (Array.isArray(value)) return value.map(whole);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [whole(key), whole(part)]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Finds where a text stops being JSON: the messages of JSON.parse differ between versions of Node, and some give no
 * position.
 */

const token =
  /"(?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{}:,]/y;

/** The token that may come next: a value, a key, or what follows them. */
type Want = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'next' | 'end';

/** Line and column of the first fault, counted from 1. The text is known not to be JSON. */
export function positionOfFault(text: string): { line: number; column: number } {
  const before = text.slice(0, offsetOfFault(text)).split(/\r\n|\n|\r/);
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

function offsetOfFault(text: string): number {
  const open: ('{' | '[')[] = [];
  let want: Want = 'value';
  let at = 0;
  for (;;) {
    while (' \t\n\r'.includes(text[at] || '-')) at++;
    if (at >= text.length) return at;
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    if (found === undefined || hasControl(found)) return at;
    const next = step(found, want, open);
    if (next === null) return at;
    want = next;
    at += found.length;
  }
}

/** A control character in a string must be written as an escape. */
function hasControl(found: string): boolean {
  for (let at = 0; at < found.length; at++) if (found.charCodeAt(at) < 0x20) return true;
  return false;
}

/** The token that must follow this one; null when this one may not stand here. */
function step(found: string, want: Want, open: ('{' | '[')[]): Want | null {
  const after = (): Want => (open.length > 0 ? 'next' : 'end');
  const closes = (kind: '{' | '['): Want | null => (open.pop() === kind ? after() : null);
  const isText = found.startsWith('"');
  switch (want) {
    case 'key':
    case 'key or }':
      if (isText) return ':';
      return found === '}' && want === 'key or }' ? closes('{') : null;
    case ':':
      return found === ':' ? 'value' : null;
    case 'next':
      if (found === ',') return open.at(-1) === '{' ? 'key' : 'value';
      return found === '}' ? closes('{') : found === ']' ? closes('[') : null;
    case 'end':
      return null;
    default:
      if (found === ']') return want === 'value or ]' ? closes('[') : null;
      if (found === '{' || found === '[') {
        open.push(found);
        return found === '{' ? 'key or }' : 'value or ]';
      }
      return /^[}:,]/.test(found) ? null : after();
  }
}

/** Reads one JSON object from a small file that a person wrote; an error has its line and column. */
const longest = 1_048_576;

/** `isSet`: a setting names it; one that is named in a command may be a pipe. */
export function readJsonFile(path: string, isSet = false): Record<string, unknown> {
  const text = readText(path, isSet).replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { line, column } = positionOfFault(text);
    throw new CarillonError('file-broken', `${path} is not JSON: line ${line}, column ${column}`, {
      remedy: 'Correct the file there, and run the command again.',
    });
  }
  if (isObject(value)) return value;
  throw new CarillonError('file-broken', `${path} does not hold a JSON object`, {
    remedy: 'Write the object between { and }.',
  });
}

function readText(path: string, isSet: boolean): string {
  let bytes: Buffer;
  try {
    if (isSet) return readNamedFile(path);
    bytes = readFileSync(path);
  } catch (error) {
    throw unreadable(`The file ${path}`, error);
  }
  if (bytes.length > longest) throw new CarillonError('file-broken', `${path} is longer than 1 MB`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CarillonError('file-broken', `${path} is not UTF-8`);
  }
}
