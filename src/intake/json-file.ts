import { readFileSync } from 'node:fs';
import { CarillonError } from '../base/errors.ts';
import { isObject, positionOfFault } from './json-values.ts';

/** Reads one JSON object from a small file that a person wrote; an error has its line and column. */
const longest = 1_048_576;

export function readJsonFile(path: string): Record<string, unknown> {
  const text = readText(path).replace(/^\uFEFF/, '');
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

function readText(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'does not exist' : `cannot be read: ${(error as Error).message}`;
    throw new CarillonError('file-unreadable', `The file ${path} ${why}`);
  }
  if (bytes.length > longest) throw new CarillonError('file-broken', `${path} is longer than 1 MB`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CarillonError('file-broken', `${path} is not UTF-8`);
  }
}
