import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseS3 } from '../../src/base/config/s3.ts';
import { writeRejected } from '../../src/export/csv.ts';
import { writeResults } from '../../src/export/results.ts';
import { checkTarget, targetAt } from '../../src/export/target.ts';
import { openRecords } from '../support/csv.ts';
import { refuse, type S3Store, startS3Store } from '../support/s3-store.ts';
import { resultOf } from './people.ts';

/** Results in a bucket: an object is there as a whole, or not at all. */
let store: S3Store;
beforeEach(async () => {
  store = await startS3Store();
});
afterEach(() => store.close());

/** Between two tries no time passes. */
const clock = { sleep: async () => undefined };
const at = (address: string) => ({
  ...targetAt(address, { s3: parseS3((name) => store.env[name]) }),
  clock,
});
async function* batches<T>(...given: T[][]): AsyncGenerator<T[]> {
  yield* given;
}
/** 3,000 rows are some 30 MB, which are four parts. */
async function* long() {
  for (let nth = 0; nth < 30; nth++)
    yield Array.from({ length: 100 }, (_, at) =>
      resultOf({ row: nth * 100 + at, transcript: `${at} `.repeat(3_500) }),
    );
}
const key = '/results/2026 März/r+1=(a).csv';

describe('an object', () => {
  it('that is short is sent at once', async () => {
    await writeResults(at(`s3:/${key}`), 'csv', ['City'], batches([resultOf()]));
    expect(store.requests).toEqual([`PUT ${key}`]);
    const { bytes, type } = store.objects.get(key)!;
    expect(type).toBe('text/csv; charset=utf-8');
    expect(openRecords(bytes.toString())).toEqual([
      expect.objectContaining({ phone: '+14155550123', in_City: 'Reno' }),
    ]);
    await writeRejected(
      at('s3://results/r.rejected.csv'),
      ['phone'],
      batches([{ row: 2, reason: 'x', input: { phone: 'y' } }]),
    );
    expect(store.objects.get('/results/r.rejected.csv')!.bytes.toString()).toBe('phone,line,reason\ny,2,x\n');
  });

  it('that is long is sent in parts, and appears when the last is there', async () => {
    const seen: number[] = [];
    const watched = async function* () {
      for await (const batch of long()) {
        seen.push(store.objects.size);
        yield batch;
      }
    };
    expect(await writeResults(at('s3://results/r.ndjson'), 'ndjson', [], watched())).toBe(3_000);
    expect(Math.max(...seen)).toBe(0);
    expect(store.requests.filter((each) => each.startsWith('PUT')).length).toBeGreaterThan(2);
    const lines = store.objects.get('/results/r.ndjson')!.bytes.toString().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).row)).toEqual(Array.from({ length: 3_000 }, (_, row) => row));
    expect(store.uploads()).toEqual([]);
  });

  it('is not there where the rows break off, and nothing of it stays in the store', async () => {
    store.objects.set('/results/r.csv', { bytes: Buffer.from('older'), type: '' });
    const broken = async function* () {
      yield* long();
      throw new Error('the ledger is away');
    };
    await expect(writeResults(at('s3://results/r.csv'), 'csv', [], broken())).rejects.toThrow(
      'the ledger is away',
    );
    expect(store.objects.get('/results/r.csv')!.bytes.toString()).toBe('older');
    expect(store.uploads()).toEqual([]);
  });

  it('is whole though requests fail and answers are lost', async () => {
    let nth = 0;
    store.instead = (_, response) => {
      nth += 1;
      if (nth % 3 === 1) response.writeHead(503).end();
      else if (nth % 3 === 2) response.destroy();
      return nth % 3 !== 0;
    };
    expect(await writeResults(at('s3://results/r.csv'), 'csv', [], long())).toBe(3_000);
    expect(openRecords(store.objects.get('/results/r.csv')!.bytes.toString()).length).toBe(3_000);
  });

  it('is whole though the answer to its completion is lost', async () => {
    let lost = false;
    const original = store.objects.set.bind(store.objects);
    store.objects.set = (path, object) => {
      lost = true;
      return original(path, object);
    };
    store.instead = (asked, response) => {
      if (asked.method !== 'POST' || !asked.query.has('uploadId') || lost) return false;
      // The store does it, and the connection breaks before it can say so.
      response.writeHead = () => response;
      response.end = (() => response.destroy()) as never;
      return false;
    };
    expect(await writeResults(at('s3://results/r.csv'), 'csv', [], long())).toBe(3_000);
    expect(store.requests.filter((each) => each === 'POST /results/r.csv uploadId').length).toBe(2);
    expect(store.objects.has('/results/r.csv')).toBe(true);
  });

  it('that the store refuses is told in its words, also where it says so after a 200', async () => {
    const refused = (address: string) =>
      writeResults(at(address), 'csv', [], long()).then(String, (error: Error) => error.message);
    expect(await refused('s3://missing/r.csv')).toBe(
      's3://missing/r.csv cannot be written: NoSuchBucket: as told (404)',
    );
    store.instead = ({ query, method }, response) =>
      method === 'POST' && query.has('uploadId') ? Boolean(refuse(response, 200, 'InternalError')) : false;
    expect(await refused('s3://results/r.csv')).toContain('InternalError: as told');
    expect([...store.objects.keys(), ...store.uploads()]).toEqual([]);
  });
});

describe('a target that is only checked', () => {
  it('in a store that keeps what is given up is refused with the reason', async () => {
    store.instead = ({ method }, response) =>
      method === 'DELETE' ? Boolean(refuse(response, 403, 'AccessDenied')) : false;
    await expect(checkTarget(at('s3://results/r.csv'))).rejects.toThrow(
      's3://results/r.csv cannot be written: an upload that is given up stays there: AccessDenied: as told (403)',
    );
  });

  it('leaves nothing in the bucket', async () => {
    await checkTarget(at('s3://results/r.csv'));
    expect([...store.objects.keys(), ...store.uploads()]).toEqual([]);
  });

  it('is refused for what would stop the results later', async () => {
    await expect(checkTarget(at('s3://missing/r.csv'))).rejects.toThrow('NoSuchBucket');
    store.env.AWS_SECRET_ACCESS_KEY = 'wrong';
    await expect(checkTarget(at('s3://results/r.csv'))).rejects.toThrow('SignatureDoesNotMatch');
    store.env = {};
    await expect(checkTarget(at('s3://results/r.csv'))).rejects.toThrow('AWS_ACCESS_KEY_ID');
  });
});
