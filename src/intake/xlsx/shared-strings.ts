import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { longestCell } from '../records.ts';
import { openScratch } from '../source.ts';
import { cellText, createXmlReader, type XmlReader } from './xml.ts';
import { damaged } from './zip.ts';

/**
 * The texts that a workbook's cells share, by number. They are kept on disk, and only where each begins in memory: a
 * sheet of a million people has millions of them.
 */
export type SharedStrings = {
  add(text: string): void;
  /** Writes what was added, if it is more than that many bytes. Texts can be read when all of them were written. */
  flush(most?: number): Promise<void>;
  get(index: number): string;
  close(): Promise<void>;
};

const pieceBytes = 64 * 1024;
const mostPieces = 64;
const enough = 1_048_576;
/** Each that is not written yet takes more memory than its bytes. */
const enoughTexts = 10_000;
/** More than a sheet as long as it can be has in ten columns. Each takes four bytes of memory, however short it is. */
const mostTexts = 16_777_216;

export async function openSharedStrings(file: string): Promise<SharedStrings> {
  const handle: FileHandle = await openScratch(file);
  const pieces = new Map<number, Buffer>();
  // All of a part is at most 1 GB, and never four of them.
  let starts = new Uint32Array(1_024);
  let count = 0;
  let end = 0;
  let fresh: Buffer[] = [];
  let freshBytes = 0;

  return {
    add(text) {
      if (count === mostTexts) throw damaged(file, `it has more than ${mostTexts} texts`);
      if (count + 2 > starts.length) {
        const more = new Uint32Array(starts.length * 2);
        more.set(starts);
        starts = more;
      }
      if (text !== '') {
        const bytes = Buffer.from(text);
        fresh.push(bytes);
        freshBytes += bytes.length;
        end += bytes.length;
      }
      count += 1;
      starts[count] = end;
    },
    async flush(most = enough) {
      if (freshBytes <= most && fresh.length <= enoughTexts) return;
      const bytes = Buffer.concat(fresh);
      fresh = [];
      freshBytes = 0;
      await handle.appendFile(bytes);
    },
    get(index) {
      if (!(index >= 0 && index < count))
        throw damaged(file, `a cell names the text ${index}, which it does not have`);
      const from = starts[index]!;
      const to = starts[index + 1]!;
      const piece = pieceAt(Math.floor(from / pieceBytes));
      const start = from % pieceBytes;
      if (start + to - from <= piece.length) return piece.toString('utf8', start, start + to - from);
      const bytes = Buffer.allocUnsafe(to - from);
      readSync(handle.fd, bytes, 0, bytes.length, from);
      return bytes.toString('utf8');
    },
    close: () => handle.close(),
  };

  /** Cells name texts nearly in their order, so a piece serves many of them. */
  function pieceAt(nth: number): Buffer {
    const known = pieces.get(nth);
    if (known) return known;
    if (pieces.size >= mostPieces) pieces.delete(pieces.keys().next().value!);
    const buffer = Buffer.allocUnsafe(pieceBytes);
    const piece = buffer.subarray(0, readSync(handle.fd, buffer, 0, pieceBytes, nth * pieceBytes));
    pieces.set(nth, piece);
    return piece;
  }
}

/** Reads the XML of the texts; how they are pronounced is left out. */
export function createStringReader(strings: Pick<SharedStrings, 'add'>, file: string): XmlReader {
  let text = '';
  let isText = false;
  let phonetic = 0;
  return createXmlReader(
    {
      open(name) {
        if (name === 'si') text = '';
        else if (name === 'rPh') phonetic++;
        else if (name === 't') isText = phonetic === 0;
      },
      close(name) {
        if (name === 'si') strings.add(cellText(text));
        else if (name === 'rPh') phonetic--;
        else if (name === 't') isText = false;
      },
      text(raw) {
        if (!isText) return;
        text += raw;
        if (text.length > longestCell) throw damaged(file, 'it has a text of more than a million characters');
      },
    },
    file,
  );
}
