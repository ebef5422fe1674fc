import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { CarillonError } from '../../base/errors.ts';

/**
 * Reads the directory of a zip file, and unpacks a part of it in pieces. Sizes are checked before and while a part is
 * unpacked: a small file must not become a huge one.
 */
export type ZipPart = Readonly<{
  name: string;
  /** Bytes in the file, and unpacked. */
  packed: number;
  size: number;
  method: number;
  crc: number;
  isEncrypted: boolean;
  /** Where its own header begins. */
  at: number;
}>;

/** A sheet of a million rows with ten columns has about half of it. */
const mostUnpacked = 1_073_741_824;
/** Sheets are packed 5 to 40 times smaller; only a bomb is packed more than 200 times. */
const mostRatio = 200;
const freeOfRatio = 10_000_000;
const mostDirectory = 4_194_304;
const pieceBytes = 64 * 1024;
const endBytes = 22;
const longestComment = 65_535;
const inFull = 0xffff_ffff;

export async function readParts(handle: FileHandle, file: string): Promise<Map<string, ZipPart>> {
  const { size } = await handle.stat();
  const tail = await readAt(handle, Math.max(0, size - endBytes - longestComment), endBytes + longestComment);
  const at = tail.lastIndexOf('PK\x05\x06', tail.length - endBytes, 'latin1');
  if (at < 0) throw damaged(file, 'its end is missing');
  const length = tail.readUInt32LE(at + 12);
  const start = tail.readUInt32LE(at + 16);
  if (length > mostDirectory || start + length > size) throw damaged(file, 'its directory cannot be read');
  const directory = await readAt(handle, start, length);
  const parts = new Map<string, ZipPart>();
  for (let from = 0; from + 46 <= directory.length; ) {
    if (directory.readUInt32LE(from) !== 0x0201_4b50) throw damaged(file, 'its directory cannot be read');
    const name = directory
      .subarray(from + 46, from + 46 + directory.readUInt16LE(from + 28))
      .toString('utf8');
    const extra = from + 46 + directory.readUInt16LE(from + 28);
    const next = extra + directory.readUInt16LE(from + 30) + directory.readUInt16LE(from + 32);
    const [unpacked = 0, packed = 0, place = 0] = fullSizes(directory.subarray(extra, next), [
      directory.readUInt32LE(from + 24),
      directory.readUInt32LE(from + 20),
      directory.readUInt32LE(from + 42),
    ]);
    parts.set(name, {
      name,
      packed,
      size: unpacked,
      method: directory.readUInt16LE(from + 10),
      crc: directory.readUInt32LE(from + 16),
      isEncrypted: (directory.readUInt16LE(from + 8) & 1) === 1,
      at: place,
    });
    from = next;
  }
  return parts;
}

/** Some writers put sizes into the field for very large files, however small the part is. */
function fullSizes(extra: Buffer, short: number[]): number[] {
  if (!short.includes(inFull)) return short;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let from = at + 4;
    return short.map((size) => {
      if (size !== inFull || from + 8 > extra.length) return size;
      from += 8;
      return Number(extra.readBigUInt64LE(from - 8));
    });
  }
  return short;
}

export async function* unpack(handle: FileHandle, part: ZipPart, file: string): AsyncGenerator<Buffer> {
  const { name, packed, size, method, crc } = part;
  if (part.isEncrypted) throw locked(file);
  if (size > mostUnpacked || (size > freeOfRatio && size > packed * mostRatio)) throw bomb(file, part);
  const header = await readAt(handle, part.at, 30);
  if (header.length < 30 || (method !== 0 && method !== 8)) throw damaged(file, `${name} cannot be unpacked`);
  const start = part.at + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const stored = Readable.from(piecesOf(handle, start, start + packed));
  const unpacked = method === 0 ? stored : pipeline(stored, createInflateRaw(), () => undefined);
  let seen = 0;
  let sum = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      seen += chunk.length;
      if (seen > size) throw damaged(file, `${name} is longer than its directory says`);
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw /^Z_|^ERR_STREAM/.test(code) ? damaged(file, `${name} cannot be unpacked`) : error;
  }
  if (seen !== size || sum !== crc) throw damaged(file, `${name} is not what was packed`);
}

async function* piecesOf(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const piece = await readAt(handle, at, Math.min(pieceBytes, end - at));
    if (piece.length === 0) return;
    at += piece.length;
    yield piece;
  }
}

export async function readAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

export function damaged(file: string, why: string): CarillonError {
  return new CarillonError('file-broken', `${file} is a damaged workbook: ${why}`, {
    remedy: 'Open it in a spreadsheet, and save it again.',
  });
}

export function locked(file: string): CarillonError {
  return new CarillonError('file-broken', `${file} is protected with a password`, {
    remedy: 'Open it in a spreadsheet, and save it without a password.',
  });
}

function bomb(file: string, { name, packed, size }: ZipPart): CarillonError {
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000).toLocaleString('en-US')} MB`;
  return new CarillonError(
    'file-broken',
    `${file} is refused: its part ${name}, of ${megabytes(packed)}, unpacks to ${megabytes(size)}`,
    { remedy: 'Export the sheet as CSV; that is read at any length.' },
  );
}
