import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mostColumns } from '../columns.ts';
import { type CsvRecord, longestCell, longestRecord } from '../records.ts';
import { openScratch } from '../source.ts';
import { type CellFormat, numberText } from './cell-format.ts';
import { attribute, cellText, createXmlReader, plainText, type XmlReader } from './xml.ts';
import { damaged } from './zip.ts';

/**
 * Reads the XML of a sheet into records, as a CSV is read into them. A formula is never evaluated: its value is the one
 * that the spreadsheet saved.
 */
type SheetDeps = {
  file: string;
  strings: Pick<SharedStrings, 'get'>;
  formats: readonly CellFormat[];
  from1904: boolean;
};
type Cell = {
  column: number;
  type: string;
  format: CellFormat;
  value: string;
  text: string;
  isFormula: boolean;
};

export function createSheetReader({ file, strings, formats, from1904 }: SheetDeps) {
  let records: CsvRecord[] = [];
  let line = 0;
  let row: CsvRecord | null = null;
  let cell: Cell | null = null;
  let column = -1;
  let into: 'value' | 'text' | null = null;
  let phonetic = 0;
  let gathered = 0;

  const reader = createXmlReader({ open, close, text }, file);

  function open(name: string, attributes: string) {
    if (name === 'c') {
      if (!row) return;
      column = columnOf(attribute(attributes, 'r')) ?? column + 1;
      if (column >= mostOfSheets) throw damaged(file, `row ${line} has a cell outside of the sheet`);
      const format = formats[Number(attribute(attributes, 's') ?? 0)] ?? null;
      cell = {
        column,
        type: attribute(attributes, 't') ?? 'n',
        format,
        value: '',
        text: '',
        isFormula: false,
      };
    } else if (name === 'v') into = 'value';
    else if (name === 't') into = phonetic > 0 ? null : 'text';
    else if (name === 'f' && cell) cell.isFormula = true;
    else if (name === 'rPh') phonetic++;
    else if (name === 'row') {
      const given = Number(attribute(attributes, 'r') ?? line + 1);
      if (!Number.isSafeInteger(given) || given <= line || given > lastRow)
        throw damaged(file, `a row has no valid number after row ${line}`);
      line = given;
      column = -1;
      row = { line, cells: [], fault: null, length: 0 };
    }
  }

  function close(name: string) {
    if (name === 'v' || name === 't') into = null;
    else if (name === 'rPh') phonetic--;
    else if (name === 'c' && cell && row) {
      take(row, cell);
      cell = null;
    } else if (name === 'row' && row) {
      records.push(row);
      row = null;
    }
  }

  function text(raw: string) {
    if (!cell || !into) return;
    cell[into] += raw;
    if (cell[into].length > longestCell) throw giant();
  }

  function take(to: CsvRecord, from: Cell) {
    const value = textIn(from);
    if (value === '') {
      // Else a person without a phone or a name would be called by what the formula never said.
      if (from.isFormula && from.value === '' && from.type !== 'str')
        to.fault ??= `cell ${letters(from.column)}${to.line} has a formula without its value`;
      return;
    }
    // Nor by a number without the digits that a person sees: it may be somebody else's.
    if (from.type === 'n' && from.format?.kind === 'unread') {
      to.fault ??= `cell ${letters(from.column)}${to.line} has a format that adds digits`;
      return;
    }
    if (value.length > longestCell) throw giant();
    // A row that is too wide is refused; what stands how far out does not matter.
    const at = Math.min(from.column, mostColumns);
    while (to.cells.length < at) to.cells.push('');
    to.cells[at] = value;
    to.length += value.length;
    if (to.length > longestRecord) throw damaged(file, `row ${to.line} has more than 8 million characters`);
    // Cells may share one long text, and then a small file has rows without end.
    gathered += value.length;
    if (gathered > mostAtOnce) throw damaged(file, `its rows near row ${to.line} are too long`);
  }

  function giant() {
    return damaged(file, `row ${line} has a cell of more than a million characters`);
  }

  function textIn({ type, format, value, text: written }: Cell): string {
    switch (type) {
      case 's':
        return value === '' ? '' : strings.get(Number(value));
      case 'inlineStr':
        return cellText(written);
      case 'b':
        return value === '' ? '' : value.trim() === '1' ? 'TRUE' : 'FALSE';
      case 'n':
        return numberText(plainText(value), format, from1904);
      default:
        return cellText(value);
    }
  }

  return {
    /** The rows that are complete with this piece. */
    read(chunk: string): CsvRecord[] {
      gathered = 0;
      reader.read(chunk);
      const whole = records;
      records = [];
      return whole;
    },
    end: reader.end,
  };
}

/** As many columns as a sheet can have. */
const mostOfSheets = 16_384;
/** A sheet has a million; a list keeps a row's number in four bytes. */
const lastRow = 2_147_483_647;
/** The characters of all cells that one piece of a sheet may hold. */
const mostAtOnce = 64_000_000;

/** `AB12` is in column 27, counted from 0. */
function columnOf(reference: string | undefined): number | null {
  if (reference === undefined) return null;
  let column = 0;
  for (let at = 0; at < reference.length; at++) {
    const code = reference.charCodeAt(at) & ~0x20;
    if (code < 65 || code > 90) break;
    column = column * 26 + code - 64;
    if (column > mostOfSheets) break;
  }
  return column - 1 < 0 ? null : column - 1;
}

function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last;
}

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
