import { readFileSync } from 'node:fs';
import { readNamedFile } from '../../base/disk-errors.ts';
import { CarillonError } from '../../base/errors.ts';
import { type WrittenPolicy, writtenPolicy } from '../../ledger/policies/policies.ts';

/**
 * Reads a file of contact rules: one clear line when it cannot be read or its rules are wrong. `isSet`: a setting names it;
 * one that is named in a command may be a pipe.
 */
export function readPolicyFile(path: string, isSet = false): WrittenPolicy {
  const value = parse(path, readText(path, isSet));
  try {
    return writtenPolicy(value);
  } catch (error) {
    throw new CarillonError('policy-invalid', `${path}: ${(error as Error).message}`, { cause: error });
  }
}

function readText(path: string, isSet: boolean): string {
  try {
    return (isSet ? readNamedFile(path) : readFileSync(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'the file does not exist' : `the file cannot be read: ${message}`;
    throw new CarillonError('file-unreadable', `${path}: ${why}`, { cause: error });
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = (error as Error).message.replace(/\s+/g, ' ');
    throw new CarillonError('policy-invalid', `${path}: the file is not JSON: ${why}`, {
      remedy: 'Write one JSON object; docs/guides/policy.md names its fields.',
    });
  }
}
