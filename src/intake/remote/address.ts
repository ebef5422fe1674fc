import { basename, extname } from 'node:path';

/** A list that is elsewhere: at a web address, in Google Sheets, or in a bucket of S3. */
export function isAddress(text: string): boolean {
  return /^(?:https?|s3):\/\//i.test(text);
}

/** The address as it may be shown and kept: without its user, password, query and hash, which may hold secrets. */
export function shownAddress(text: string): string {
  if (!isAddress(text)) return text;
  // A password with a ? or # in it ends at the @, and looks like a host with a query.
  if (/[?#].*@/s.test(text)) return `${text.slice(0, text.indexOf('//') + 2)}...`;
  if (!URL.canParse(text)) return text.replace(/[?#].*$/s, '').replace(/\/\/.*@/s, '//');
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}

/**
 * The name of the file that an address names. Null if it may name several lists: one with a query, and a sheet, whose
 * address says nothing. A campaign of one name takes the place of its earlier list, so the name must not be guessed.
 */
export function nameOfAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const file = basename(decodedOf(url.pathname));
  if ((url.search && !isSigned(url)) || isSheet(url) || file === '') return null;
  return basename(file, extname(file));
}

/** With a stray percent sign, it is taken as it stands. */
export function decodedOf(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Of the queries, only a signature for a while says nothing about which list it is. */
function isSigned({ searchParams }: URL): boolean {
  return ['X-Amz-Signature', 'X-Goog-Signature', 'sig'].some((name) => searchParams.has(name));
}

export function isSheet({ hostname, pathname }: URL): boolean {
  return hostname === 'docs.google.com' && pathname.startsWith('/spreadsheets/');
}

/** Where a sheet is exported, from the address that people share; any other address stays as it is. */
export function exportOf(url: URL, sheet: string | undefined): URL {
  if (!isSheet(url)) return url;
  const made = new URL(url.origin);
  const [, published, id] = /^\/spreadsheets\/(?:u\/\d+\/)?d\/(e\/)?([\w-]+)/.exec(url.pathname) ?? [];
  if (id === undefined) return url;
  made.pathname = published ? `/spreadsheets/d/e/${id}/pub` : `/spreadsheets/d/${id}/export`;
  const format = published ? 'output' : 'format';
  // A CSV is of one tab; another by its name is found in the workbook.
  made.searchParams.set(format, sheet === undefined ? 'csv' : 'xlsx');
  const gid = new URLSearchParams(url.hash.slice(1)).get('gid') ?? url.searchParams.get('gid');
  if (gid !== null && sheet === undefined) made.searchParams.set('gid', gid);
  return made;
}
