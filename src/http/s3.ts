import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { type Dispatcher, request } from 'undici';
import { type Clock, systemClock } from '../base/clock.ts';
import { requireS3, type S3Settings } from '../base/config/s3.ts';
import { CarillonError } from '../base/errors.ts';
import { version } from '../base/version.ts';
import { explain } from './connections.ts';
import { beginningOf } from './open-body.ts';

/** Objects in a bucket of S3, or of a store that speaks like it: read, written whole, and written in parts. */
export type S3Object = Readonly<{ bucket: string; key: string }>;

type S3 = {
  get(object: S3Object, signal?: AbortSignal): Promise<{ headers: IncomingHttpHeaders; body: Readable }>;
  put(object: S3Object, bytes: Uint8Array, type: string): Promise<void>;
  /** Begins an object in parts; it appears when it is completed, or never. */
  begin(object: S3Object, type: string): Promise<string>;
  /** Returns what completes the object with this part. */
  part(object: S3Object, upload: string, number: number, bytes: Uint8Array): Promise<string>;
  complete(object: S3Object, upload: string, parts: readonly string[]): Promise<void>;
  abort(object: S3Object, upload: string): Promise<void>;
};

type Asked = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  query?: Record<string, string>;
  body?: Uint8Array | string;
  type?: string;
  signal?: AbortSignal | undefined;
};

const idleMs = 60_000;
/** Each request may be repeated: a part that arrives twice is one part. */
const mostTries = 4;
const firstWaitMs = 200;
/** As much of an answer in words as is read. */
const mostText = 65_536;

export function readS3Address(text: string): S3Object {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(text) ?? [];
  const isBucket = /^[a-z0-9][\w.-]{1,62}$/i.test(bucket);
  const shown = text.replace(/\/\/[^/]*@/, '//');
  // A URL would drop these parts, and lead to another object, or to another bucket.
  if (isBucket && key.split('/').some((part) => part === '.' || part === '..')) {
    throw new CarillonError('usage-invalid', `${shown} cannot be: "." or ".." is a part of its key`, {
      remedy: 'Write the whole key of the object.',
    });
  }
  if (isBucket && key !== '' && !key.endsWith('/')) return { bucket, key };
  if (!isBucket && bucket !== '') {
    const name = JSON.stringify(bucket.split('@').at(-1));
    throw new CarillonError('usage-invalid', `${shown} cannot be: ${name} is not the name of a bucket`, {
      remedy: 'It has 3 to 63 lower-case letters, digits, "-" and ".".',
    });
  }
  throw new CarillonError('usage-invalid', `${shown} is not the address of an object`, {
    remedy: 'Write s3://bucket/folder/name.csv.',
  });
}

export function createS3(settings: S3Settings, clock: Pick<Clock, 'sleep'> = systemClock): S3 {
  const { keyId, secret } = requireS3(settings);
  const { session, region, endpoint } = settings;

  async function send(
    object: S3Object,
    { method, query = {}, body = '', type, signal }: Asked,
  ): Promise<Dispatcher.ResponseData> {
    const signer = new AwsV4Signer({
      method,
      url: `${urlOf(object)}${queryOf(query)}`,
      headers: {
        'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      accessKeyId: keyId,
      secretAccessKey: secret,
      ...(session === undefined ? {} : { sessionToken: session }),
      service: 's3',
      region,
    });
    const { url, headers } = await signer.sign();
    return request(url, {
      method,
      headers: { ...Object.fromEntries(headers), 'user-agent': `carillon/${version}` },
      body: method === 'GET' || method === 'DELETE' ? null : body,
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
      ...(signal ? { signal } : {}),
    });
  }

  /** Asks until there is an answer that another try would not change. */
  async function ask(object: S3Object, asked: Asked): Promise<Dispatcher.ResponseData & { tries: number }> {
    for (let tries = 1; ; tries++) {
      const last = tries === mostTries || asked.signal?.aborted === true;
      try {
        const answer = await send(object, asked);
        if (last || (answer.statusCode < 500 && answer.statusCode !== 429)) return { ...answer, tries };
        await answer.body.dump();
      } catch (error) {
        if (last) throw trouble(object, asked, explain(error as Error, new URL(urlOf(object)).host));
      }
      await clock.sleep(firstWaitMs * 2 ** (tries - 1), asked.signal);
    }
  }

  /** The text of a good answer. A store may begin with 200 and tell of its failure later. */
  async function tell(
    object: S3Object,
    asked: Asked,
  ): Promise<{ headers: IncomingHttpHeaders; text: string; tries: number }> {
    const { statusCode, headers, body, tries } = await ask(object, asked);
    const text = await beginningOf({ body }, mostText);
    if (statusCode >= 200 && statusCode < 300 && !/<Error>/.test(text)) return { headers, text, tries };
    // Repeated because its answer was lost: it had been done.
    const isGone = textOf(text, 'Code') === 'NoSuchUpload' && tries > 1;
    if (isGone && asked.query?.uploadId !== undefined) return { headers, text, tries };
    throw trouble(object, asked, reasonOf(statusCode, text));
  }

  function urlOf({ bucket, key }: S3Object): string {
    const path = key.split('/').map(encoded).join('/');
    if (endpoint !== undefined) return `${endpoint}/${bucket}/${path}`;
    // A certificate covers one level of names only.
    return bucket.includes('.')
      ? `https://s3.${region}.amazonaws.com/${bucket}/${path}`
      : `https://${bucket}.s3.${region}.amazonaws.com/${path}`;
  }

  return {
    async get(object, signal) {
      const { statusCode, headers, body } = await ask(object, { method: 'GET', signal });
      if (statusCode === 200) return { headers, body };
      throw trouble(object, { method: 'GET' }, reasonOf(statusCode, await beginningOf({ body }, mostText)));
    },
    async put(object, bytes, type) {
      await tell(object, { method: 'PUT', body: bytes, type });
    },
    async begin(object, type) {
      const asked: Asked = { method: 'POST', query: { uploads: '' }, type };
      const upload = textOf((await tell(object, asked)).text, 'UploadId');
      if (upload === undefined) throw trouble(object, asked, 'the answer names no upload');
      return upload;
    },
    async part(object, uploadId, number, bytes) {
      const asked: Asked = { method: 'PUT', query: { partNumber: String(number), uploadId }, body: bytes };
      const { etag } = (await tell(object, asked)).headers;
      if (typeof etag !== 'string') throw trouble(object, asked, 'the answer to a part has no ETag');
      return etag;
    },
    async complete(object, uploadId, parts) {
      const list = parts.map(
        (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
      );
      const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
      await tell(object, { method: 'POST', query: { uploadId }, body, type: 'application/xml' });
    },
    async abort(object, uploadId) {
      const asked: Asked = { method: 'DELETE', query: { uploadId } };
      const { statusCode, body } = await ask(object, asked);
      const text = await beginningOf({ body }, mostText);
      // Repeated because its answer was lost, or ended in another way: there is nothing left to give up.
      if (statusCode < 300 || textOf(text, 'Code') === 'NoSuchUpload') return;
      const why = `an upload that is given up stays there: ${reasonOf(statusCode, text)}`;
      throw trouble(object, asked, why, 'Allow s3:AbortMultipartUpload for this key, or write to a file.');
    },
  };
}

/** As signatures want it: stricter than URLs. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function queryOf(query: Record<string, string>): string {
  const parts = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

function textOf(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`)
    .exec(xml)?.[1]
    ?.replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function reasonOf(status: number, text: string): string {
  const code = textOf(text, 'Code');
  if (code === undefined) return `the store answered ${status}`;
  const region = textOf(text, 'Region');
  const where = region === undefined ? '' : `, the region is ${region}`;
  return `${code}: ${(textOf(text, 'Message') ?? '').slice(0, 300)}${where} (${status})`;
}

function trouble(
  { bucket, key }: S3Object,
  { method }: Pick<Asked, 'method'>,
  why: string,
  remedy = 'Check bucket, key, AWS_REGION and what the credentials allow.',
): CarillonError {
  const [code, verb] =
    method === 'GET' ? (['file-unreadable', 'read'] as const) : (['file-unwritable', 'written'] as const);
  return new CarillonError(code, `s3://${bucket}/${key} cannot be ${verb}: ${why}`, { remedy });
}
