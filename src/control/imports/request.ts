import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { CarillonError } from '../../base/errors.ts';
import type { CsvSource } from '../../intake/source.ts';
import type { ImportRef } from '../../ledger/imports/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { digestOf, readIdempotencyKey } from '../idempotency.ts';
import { canonical } from '../order/order.ts';
import { type ShownImport, showImport } from './show.ts';

/** The Idempotency-Key of a list: the same list with the same key again has the same answer. */
export type ListRequest = {
  /** What is read instead of the source, so that the body is known when it was read. */
  source: CsvSource;
  /** After the body was read. */
  ref(): ImportRef;
  bytes(): number;
};

/** Null without a key. `asked`: what else tells one request from another. */
export function readRequest(source: CsvSource, key: unknown, asked: object): ListRequest | null {
  const given = readIdempotencyKey(key);
  if (given === undefined || !('stream' in source)) return null;
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
    ref: () => ({
      ref: digestOf('recipients', given),
      body: digestOf(canonical(asked), hash.copy().digest('hex')),
    }),
    bytes: () => bytes,
  };
}

/** What the request made before; null when it was not here. */
export async function repeatedImport(ledger: Ledger, { ref, body }: ImportRef): Promise<ShownImport | null> {
  const made = await ledger.imports.byRef(ref);
  if (!made) return null;
  if (made.refBody !== body) throw new CarillonError('request-conflict');
  return showImport(ledger, made.id);
}
