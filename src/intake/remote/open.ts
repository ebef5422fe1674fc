import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Pool } from 'undici';
import type { Config } from '../../base/config/config.ts';
import { CarillonError } from '../../base/errors.ts';
import { version } from '../../base/version.ts';
import { explain } from '../../http/connections.ts';
import { type Body, openBody, openedOf } from '../../http/open-body.ts';
import {
  type HostAddress,
  lookupIn,
  type ResolveHost,
  resolveChecked,
  resolveHost,
} from '../../http/resolve.ts';
import { createS3, readS3Address } from '../../http/s3.ts';
import type { BodyFormat } from '../../ledger/background/background.ts';
import { readWebUrl } from '../../rules/webhook/url.ts';
import { formatOf, listEndings } from '../list.ts';
import { type OpenSource, openSource } from '../source.ts';
import { decodedOf, exportOf, isSheet, shownAddress } from './address.ts';

/** Opens a list that is elsewhere: all of it is on our disk before its first row is read. */
export type ListAccess = Pick<Config, 'listAllowPrivate' | 's3'>;
export type AddressOptions = Omit<DownloadOptions, 'allowPrivate'> & {
  /** The sheet that is wanted: a Google sheet then comes as a workbook. */
  sheet?: string | undefined;
};
export type OpenAddress = { opened: OpenSource; format: BodyFormat };

export async function openAddress(
  text: string,
  access: ListAccess,
  options: AddressOptions = {},
): Promise<OpenAddress> {
  const name = shownAddress(text);
  const { body, type, path } = await (/^s3:/i.test(text) ? ofBucket : ofWeb)(text, access, options);
  const opened = await openSource({ stream: body, name });
  try {
    return { opened, format: await formatAt(path, type, opened) };
  } catch (error) {
    await opened.handle.close();
    throw error;
  }
}

type Found = { body: Readable; type: string; path: string };

async function ofWeb(
  text: string,
  access: ListAccess,
  { sheet, ...options }: AddressOptions,
): Promise<Found> {
  if (!URL.canParse(text)) throw unread(text, 'it is not an address');
  const given = new URL(text);
  const from = exportOf(given, sheet);
  const { body, headers } = await download(from, { ...options, allowPrivate: access.listAllowPrivate });
  const type = plainType(headers['content-type']);
  if (type !== 'text/html') return { body, type, path: from.pathname };
  body.destroy();
  const remedy = isSheet(given)
    ? 'Share it with "Anyone with the link", or download it as CSV.'
    : 'It may ask for a login. Give the address of the file itself.';
  const who = isSheet(given) ? 'the sheet is private, and' : 'it';
  throw unread(text, `${who} answered with a web page`, remedy);
}

async function ofBucket(text: string, { s3 }: ListAccess, { signal }: AddressOptions): Promise<Found> {
  const object = readS3Address(text);
  const found = await createS3(s3).get(object, signal);
  const body = unpackedOf(found);
  if (typeof body === 'string') throw unread(text, body);
  const { headers } = found;
  return { body, type: plainType(headers['content-type']), path: object.key };
}

function plainType(header: string | string[] | undefined): string {
  return String(header ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase();
}

const types: Readonly<Record<string, BodyFormat>> = {
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

/** Decided by the file's name, else by what the server says, else by how it begins: many servers do not know. */
function formatAt(path: string, type: string, opened: OpenSource): Promise<BodyFormat> | BodyFormat {
  if (listEndings.test(path)) return formatOf(path, opened);
  return types[type] ?? formatOf('', opened);
}

/**
 * Reads a list from a web address, within a size and a time. An address may be chosen by anyone who may add people, and
 * is asked from inside our network: each one, after each redirect too, is resolved and checked, and only what was
 * checked is connected to.
 */
type DownloadOptions = {
  allowPrivate: boolean;
  signal?: AbortSignal | undefined;
  /** For tests: another resolver, an authority to trust, and lower limits. */
  resolve?: ResolveHost | undefined;
  tls?: { ca: string } | undefined;
  mostBytes?: number | undefined;
  timeoutMs?: number | undefined;
};

const mostRedirects = 5;
const resolveMs = 5_000;
const connectMs = 10_000;
const usualBytes = 1_073_741_824;
const usualTimeoutMs = 15 * 60_000;

async function download(from: URL, options: DownloadOptions): Promise<Body> {
  const { mostBytes = usualBytes, timeoutMs = usualTimeoutMs } = options;
  const slow = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, slow]) : slow;
  const refuse = (url: URL, why: string) => unread(url.href, why);
  // They are sent to the first host only.
  const credentials = authorizationOf(from);
  let url = withoutUser(from);
  for (let turn = 0; turn <= mostRedirects; turn++) {
    const headers = url.origin === from.origin ? credentials : [];
    const { opened, close } = await openOne(url, headers, { ...options, signal }).catch((error: unknown) => {
      if (error instanceof CarillonError) throw error;
      throw refuse(url, slow.aborted ? tooSlow(timeoutMs) : explain(error as Error, url.host));
    });
    if (opened.kind === 'open') {
      const length = Number(opened.headers['content-length'] ?? 0);
      const unpacked = unpackedOf(opened);
      if (typeof unpacked === 'string') {
        close();
        throw refuse(url, unpacked);
      }
      const bounded = Readable.from(pass(unpacked, url, length));
      bounded.once('close', close);
      return { headers: opened.headers, body: bounded };
    }
    close();
    if (opened.kind === 'none') throw refuse(url, `it ${opened.why}`);
    if (!URL.canParse(opened.to, url.href)) throw refuse(url, 'it redirects to what is not an address');
    url = withoutUser(new URL(opened.to, url.href));
  }
  throw refuse(url, 'it is redirected too often');

  async function* pass(body: Readable, at: URL, length: number): AsyncGenerator<Buffer> {
    let size = 0;
    try {
      if (length > mostBytes) throw refuse(at, tooLong(mostBytes));
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > mostBytes) throw refuse(at, tooLong(mostBytes));
        yield chunk;
      }
    } catch (error) {
      if (error instanceof CarillonError || options.signal?.aborted) throw error;
      throw refuse(at, slow.aborted ? tooSlow(timeoutMs) : brokenOf(error as Error, at));
    } finally {
      body.destroy();
    }
  }
}

/** How servers pack a body for the way. None of it was asked for, but a file may be stored so. */
const unpackers: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The body as it was before it was packed, or why it cannot be read. */
export function unpackedOf({ headers, body }: Body): Readable | string {
  const packing = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();
  if (packing === '' || packing === 'identity') return body;
  const unpack = unpackers[packing];
  // The pipeline ends before the last bytes are unpacked: a fault in these must find a listener, also before anyone reads.
  if (unpack) return pipeline(body, unpack(), () => undefined).on('error', () => undefined);
  body.destroy();
  return `its Content-Encoding is ${JSON.stringify(packing.slice(0, 40))}`;
}

function brokenOf(error: Error, { host }: URL): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return /^Z_|^ERR_BROTLI|^ERR__ERROR/.test(code) ? 'it cannot be unpacked' : explain(error, host);
}

async function openOne(url: URL, credentials: readonly string[], options: DownloadOptions) {
  const { allowPrivate, resolve = resolveHost, tls, signal } = options;
  const form = readWebUrl(url.href.replace(/#.*$/, ''), allowPrivate, 'LIST_ALLOW_PRIVATE');
  if ('fault' in form) throw unread(url.href, `the address ${form.fault}`);
  const place = await resolveChecked(url.hostname, allowPrivate, resolve, resolveMs);
  if (place.kind === 'refused') {
    throw unread(url.href, place.why, 'Set LIST_ALLOW_PRIVATE=1 to read lists of your own network.');
  }
  if (place.kind === 'unknown') throw unread(url.href, place.why);
  const addresses: HostAddress[] = place.addresses;
  const pool = new Pool(url.origin, {
    connections: 1,
    allowH2: false,
    connectTimeout: connectMs,
    connect: { ...tls, lookup: lookupIn(() => addresses) },
  });
  const close = () => void pool.destroy();
  try {
    const headers = ['user-agent', `carillon/${version}`, 'accept', '*/*', ...credentials];
    return { opened: openedOf(await openBody(url, headers, pool, signal)), close };
  } catch (error) {
    close();
    throw error;
  }
}

function authorizationOf({ username, password }: URL): string[] {
  if (!username && !password) return [];
  const text = `${decodedOf(username)}:${decodedOf(password)}`;
  return ['authorization', `Basic ${Buffer.from(text).toString('base64')}`];
}

function withoutUser(url: URL): URL {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

function tooLong(bytes: number): string {
  return `it is longer than ${bytes.toLocaleString('en-US')} bytes`;
}

function tooSlow(ms: number): string {
  return `it did not arrive within ${ms / 1_000} s`;
}

function unread(
  address: string,
  why: string,
  remedy = 'Check the address, or download the list and name the file.',
) {
  return new CarillonError('file-unreadable', `${shownAddress(address)} cannot be read: ${why}`, { remedy });
}
