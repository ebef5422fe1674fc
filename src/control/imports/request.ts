import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { CsvSource } from '../../intake/source.ts';
import type { KeyedRequest } from '../../ledger/idempotency/verbs.ts';
import { readKeyed } from '../idempotency.ts';

/** A list as it passes: the mark that tells one request from another is known when all of it was read. */
export type PassingList = {
  /** The source that is read instead of the one given. */
  source: CsvSource;
  /** After the body was read. */
  request(): KeyedRequest;
  bytes(): number;
};

/** Null without a key. `asked`: what else tells one request from another. */
export function passList(source: CsvSource, key: unknown, asked: object): PassingList | null {
  if (!('stream' in source) || readKeyed(['recipients'], key, asked) === null) return null;
  const hash = createHash('sha256');
  let bytes = 0;
  const passing = async function* () {
    for await (const chunk of source.stream) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  return {
    source: { stream: Readable.from(passing()) },
    request: () => readKeyed(['recipients'], key, { ...asked, body: hash.copy().digest('base64url') })!,
    bytes: () => bytes,
  };
}
