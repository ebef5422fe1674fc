import type { FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { CarillonError } from '../base/errors.ts';

/** Finds a file's encoding from all of its bytes, and reads it as text in pieces. */
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];
export type Spelling = { encoding: Encoding /** Length of the byte order mark. */; mark: number };

const piece = 64 * 1024;

/** Reads the whole file once: a byte that is not UTF-8 may come only in the last row, after names were read wrongly. */
export async function detectEncoding(handle: FileHandle, file: string): Promise<Spelling> {
  const buffer = Buffer.allocUnsafe(piece);
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let spelling: Spelling = { encoding: 'utf-8', mark: 0 };
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, piece, position);
    const bytes = buffer.subarray(0, bytesRead);
    if (position === 0) {
      refuseForeign(bytes, file);
      spelling = markOf(bytes) ?? spelling;
      if (spelling.encoding.startsWith('utf-16')) return spelling;
    }
    if (bytes.includes(0)) throw notText(file);
    try {
      // A character cut off by the file's end is not valid UTF-8.
      if (spelling.encoding === 'utf-8') utf8.decode(bytes, { stream: bytesRead > 0 });
    } catch {
      spelling = { ...spelling, encoding: 'windows-1252' };
    }
    if (bytesRead === 0) return spelling;
    position += bytesRead;
  }
}

/** The file's text in pieces that never split a character; reports how many bytes were read. */
export async function* decodeText(
  handle: FileHandle,
  { encoding, mark }: Spelling,
  file: string,
  onRead: (bytes: number) => void = () => undefined,
): AsyncGenerator<string> {
  const isWide = encoding.startsWith('utf-16');
  // The faster one of Node's two decoders for UTF-8; it does not know the others.
  const decoder = isWide ? new TextDecoder(encoding, { ignoreBOM: true }) : new StringDecoder('utf8');
  let position = mark;
  for await (const bytes of handle.createReadStream({
    start: mark,
    autoClose: false,
  }) as AsyncIterable<Buffer>) {
    position += bytes.length;
    onRead(position);
    if (decoder instanceof TextDecoder) yield withoutNul(decoder.decode(bytes, { stream: true }), file);
    else yield encoding === 'utf-8' ? decoder.write(bytes) : decodeWindows1252(bytes);
  }
  if (isWide && position % 2 === 1)
    throw new CarillonError('file-broken', `${file} ends in the middle of a character`);
  const end = decoder instanceof TextDecoder ? decoder.decode() : decoder.end();
  if (end) yield end;
}

function markOf(bytes: Buffer): Spelling | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: 'utf-8', mark: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', mark: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', mark: 2 };
  return null;
}

const magic: readonly (readonly [string, string])[] = [
  ['PK\x03\x04', 'a workbook or another zip file'],
  ['PK\x05\x06', 'an empty zip file'],
  ['\xd0\xcf\x11\xe0', 'an old Excel workbook (xls)'],
  ['%PDF', 'a PDF'],
  ['{\\rtf', 'a word processor document (rtf)'],
  ['\x1f\x8b', 'a compressed file'],
  ['BZh', 'a compressed file'],
  ['\xfd7zXZ', 'a compressed file'],
  ['\x28\xb5\x2f\xfd', 'a compressed file'],
  ['7z\xbc\xaf', 'a compressed file'],
];

function refuseForeign(bytes: Buffer, file: string) {
  const head = bytes.subarray(0, 512).toString('latin1');
  const text = head.replace(/^(?:\xef\xbb\xbf)?\s*/, '').toLowerCase();
  let kind = magic.find(([mark]) => head.startsWith(mark))?.[1];
  if (/^<(?:!doctype|html|\?xml|table)/.test(text)) kind = 'a web page or XML';
  if (/^(?:\[\s*)?\{\s*"/.test(text)) kind = 'JSON';
  if (!kind) return;
  const remedies: Record<string, string> = {
    JSON: 'Give the file a name that ends in .json, or in .ndjson for an object a line; a request has a Content-Type.',
    'a workbook or another zip file':
      'Give a workbook a name that ends in .xlsx; a request has a Content-Type.',
    'a compressed file': 'Unpack it first.',
  };
  throw new CarillonError('file-broken', `${file} is not CSV but ${kind}`, {
    remedy: remedies[kind] ?? 'Open it and save or export it as CSV (UTF-8).',
  });
}

function notText(file: string): CarillonError {
  return new CarillonError('file-broken', `${file} contains NUL bytes, so it is damaged or not plain text`, {
    remedy: 'Save or export it again as CSV (UTF-8).',
  });
}

/** The ledger accepts no NUL; the decoder lets no half of a surrogate pair pass. */
function withoutNul(text: string, file: string): string {
  if (text.includes('\0')) throw notText(file);
  return text;
}

/** Windows-1252 characters in place of Latin-1's control characters; five bytes stay as they are. */
const upper = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f' + '\x90‘’“”•–—˜™š›œ\x9džŸ';

function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (letter) => upper.charAt(letter.charCodeAt(0) - 0x80));
}
