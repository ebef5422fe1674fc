import type { Clock } from '../base/clock.ts';
import type { S3Settings } from '../base/config/s3.ts';
import { createS3, type S3Object } from '../http/s3.ts';

/**
 * An object in a bucket, sent in parts as they fill, so that memory is bounded. It appears complete or not at all; what
 * a process that dies has sent stays unseen until the store forgets it.
 */
export type ObjectTarget = { object: S3Object; s3: S3Settings; clock?: Pick<Clock, 'sleep'> | undefined };

/** What an export writes to, wherever it is. */
export type OpenTarget = {
  write(given: string | Uint8Array): Promise<void>;
  /** Makes the file appear under its name. A stream stays open: it belongs to the caller. */
  finish(): Promise<void>;
  /** Leaves no partial file or object behind; an older one stays as it was. */
  abandon(): Promise<void>;
};

/** A store takes 10,000 parts: 80 GB. */
const partBytes = 8_388_608;

export function openObject({ object, s3, clock }: ObjectTarget): OpenTarget {
  const store = createS3(s3, clock);
  const type = typeOf(object.key);
  const parts: string[] = [];
  let upload: string | undefined;
  let pending: Buffer[] = [];
  let size = 0;

  const takePending = () => {
    const bytes = Buffer.concat(pending);
    pending = [];
    size = 0;
    return bytes;
  };
  const sendPart = async (bytes: Buffer) => {
    upload ??= await store.begin(object, type);
    parts.push(await store.part(object, upload, parts.length + 1, bytes));
  };

  return {
    async write(given) {
      const bytes = Buffer.from(given as string);
      pending.push(bytes);
      size += bytes.length;
      if (size >= partBytes) await sendPart(takePending());
    },
    async finish() {
      if (upload === undefined) return store.put(object, takePending(), type);
      if (size > 0) await sendPart(takePending());
      await store.complete(object, upload, parts);
    },
    async abandon() {
      // What cannot be taken back is never seen, either.
      if (upload !== undefined) await store.abort(object, upload).catch(() => undefined);
    },
  };
}

/** Checks whether an object may be written, and leaves none. */
export async function checkObject({ object, s3 }: ObjectTarget): Promise<void> {
  const store = createS3(s3);
  await store.abort(object, await store.begin(object, typeOf(object.key)));
}

function typeOf(key: string): string {
  if (/\.csv$/i.test(key)) return 'text/csv; charset=utf-8';
  return /\.parquet$/i.test(key) ? 'application/vnd.apache.parquet' : 'application/x-ndjson';
}
