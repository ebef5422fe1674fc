import type { Readable } from 'node:stream';
import type { Config } from '../../base/config/config.ts';
import { CarillonError } from '../../base/errors.ts';
import { createS3, readS3Address } from '../../http/s3.ts';
import type { BodyFormat } from '../../ledger/background/background.ts';
import { formatOf, listEndings } from '../json-list.ts';
import { type OpenSource, openSource } from '../source.ts';
import { exportOf, isSheet, shownAddress } from './address.ts';
import { type DownloadOptions, download, unpackedOf, unread } from './download.ts';

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
  throw new CarillonError(
    'file-unreadable',
    `${shownAddress(text)} cannot be read: ${isSheet(given) ? 'the sheet is private, and' : 'it'} answered with a web page`,
    { remedy },
  );
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
