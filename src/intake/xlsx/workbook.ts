import type { FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { CarillonError } from '../../base/errors.ts';
import { type CsvRecord, isBlank } from '../records.ts';
import { type CsvSource, openSource } from '../source.ts';
import { type Intake, openTable, type Records, type TableOptions } from '../table.ts';
import { type CellFormat, createFormatHandler } from './cell-format.ts';
import { createSheetReader, createStringReader, openSharedStrings, type SharedStrings } from './sheet.ts';
import { attribute, cellText, createXmlReader, type XmlHandler } from './xml.ts';
import { damaged, locked, readAt, readParts, unpack, type ZipPart } from './zip.ts';

/**
 * Opens one sheet of an XLSX workbook as a table, in one pass and bounded memory. Read by hand because the packages for
 * it keep the whole workbook in memory; the tests compare what is read with one of them.
 */
export async function openWorkbook(source: CsvSource, options: TableOptions = {}): Promise<Intake> {
  const { handle, file } = await openSource(source);
  return openTable({ handle, file }, options, () => readWorkbook(handle, file, options.sheet));
}

type Sheet = { name: string; part: ZipPart; isHidden: boolean };
type Book = { handle: FileHandle; file: string; parts: ReadonlyMap<string, ZipPart> };

const mostNamed = 20;
/** Of sheets, and of the parts that one part names. */
const mostLinks = 10_000;
/** Of the parts about the workbook: as many formats as a workbook can have take nearly as much. */
const mostFacts = 16_000_000;
/** Enough rows to tell what the columns hold. */
const sampleRows = 200;

async function readWorkbook(handle: FileHandle, file: string, wanted: string | undefined): Promise<Records> {
  await refuseOthers(handle, file);
  const book: Book = { handle, file, parts: await readParts(handle, file) };
  refuseOtherZips(book);
  const { sheets, from1904, stringsPart, stylesPart } = await readContents(book);
  const sheet = chooseSheet(sheets, wanted, file);
  const formats: CellFormat[] = [];
  if (stylesPart) await readXml(book, stylesPart, createFormatHandler(formats));
  const strings = await openSharedStrings(file);
  try {
    if (stringsPart) await readStrings(book, stringsPart, strings);
    let bytesRead = 0;
    const rows = readRows(book, sheet.part, { strings, formats, from1904 }, (bytes) => {
      bytesRead = bytes;
    });
    const early: CsvRecord[] = [];
    let header: CsvRecord | undefined;
    let ended = false;
    while (early.length < sampleRows && !ended) {
      const next = await rows.next();
      ended = next.done === true;
      for (const record of next.done ? [] : next.value) {
        if (header) early.push(record);
        else if (!isBlank(record.cells) || record.fault) header = record;
      }
    }
    if (!header && visibleOf(sheets).length > 1) throw emptySheet(file, sheet, sheets);
    return {
      encoding: null,
      delimiter: null,
      sheets: visibleOf(sheets).map(({ name }) => name),
      header,
      below: early.filter(({ cells }) => !isBlank(cells)),
      rows: all(early, rows),
      hints: hintsOf(sheets, sheet, wanted, file),
      bytesRead: () => bytesRead,
      async close() {
        await rows.return(undefined);
        await strings.close();
      },
    };
  } catch (error) {
    await strings.close();
    throw error;
  }
}

async function* all(early: CsvRecord[], rest: AsyncGenerator<CsvRecord[]>): AsyncGenerator<CsvRecord[]> {
  yield early;
  yield* rest;
}

const cfb = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** How the directory of an old file names the part that holds an encrypted workbook. */
const encrypted = Buffer.from('EncryptedPackage', 'utf16le');

/** Old workbooks, and those with a password, are in the same kind of file. */
async function refuseOthers(handle: FileHandle, file: string): Promise<void> {
  const head = await readAt(handle, 0, 512);
  if (head.subarray(0, 8).equals(cfb)) {
    const sector = 1 << Math.min(16, head.readUInt16LE(30));
    const directory = await readAt(handle, (head.readUInt32LE(48) + 1) * sector, 4_096);
    if (directory.includes(encrypted)) throw locked(file);
    throw other(file, 'an old Excel workbook (.xls)');
  }
  if (head.subarray(0, 2).toString('latin1') === 'PK') return;
  throw new CarillonError('file-broken', `${file} is not a workbook (.xlsx)`, {
    remedy: 'If it is a CSV or JSON, give it a name that ends so; a request has a Content-Type.',
  });
}

function refuseOtherZips({ parts, file }: Book): void {
  const isIn = (text: RegExp) => [...parts.keys()].some((name) => text.test(name));
  if (parts.has('xl/workbook.bin')) throw other(file, 'a binary workbook (.xlsb)');
  if (parts.has('[Content_Types].xml')) return;
  if (isIn(/^content\.xml$/)) throw other(file, 'an OpenDocument spreadsheet (.ods)');
  if (isIn(/^Index\/|\.iwa$/)) throw other(file, 'a Numbers document');
  throw other(file, 'a zip file, not a workbook (.xlsx)');
}

function other(file: string, what: string): CarillonError {
  return new CarillonError('file-broken', `${file} is ${what}`, {
    remedy: 'Open it in a spreadsheet, and save it as .xlsx or as CSV (UTF-8).',
  });
}

type Contents = {
  sheets: Sheet[];
  from1904: boolean;
  stringsPart: ZipPart | undefined;
  stylesPart: ZipPart | undefined;
};

async function readContents(book: Book): Promise<Contents> {
  const top = await readLinks(book, '');
  const path = top.find(({ type }) => type === 'officeDocument')?.path ?? 'xl/workbook.xml';
  const links = await readLinks(book, path);
  const named: { name: string; id: string; isHidden: boolean }[] = [];
  let from1904 = false;
  await readXml(book, partOf(book, path), {
    open(name, attributes) {
      if (name === 'workbookPr') from1904 = /^(?:1|true)$/.test(attribute(attributes, 'date1904') ?? '');
      if (name !== 'sheet') return;
      const state = attribute(attributes, 'state') ?? 'visible';
      const sheet = cellText(attribute(attributes, 'name') ?? '');
      if (named.length === mostLinks) throw damaged(book.file, `it has more than ${mostLinks} sheets`);
      named.push({ name: sheet, id: attribute(attributes, 'id') ?? '', isHidden: state !== 'visible' });
    },
  });
  // A chart may be a sheet too, and has no cells.
  const worksheets = new Map(
    links.flatMap(({ id, type, path }) => (type === 'worksheet' ? [[id, path] as const] : [])),
  );
  const sheets = named.flatMap(({ name, id, isHidden }): Sheet[] => {
    const part = book.parts.get(worksheets.get(id) ?? '');
    return part ? [{ name, part, isHidden }] : [];
  });
  const linked = (type: string) => book.parts.get(links.find((each) => each.type === type)?.path ?? '');
  return { sheets, from1904, stringsPart: linked('sharedStrings'), stylesPart: linked('styles') };
}

type Link = { id: string; type: string; path: string };

/** Which parts a part names; the empty path stands for the file itself. */
async function readLinks(book: Book, path: string): Promise<Link[]> {
  const { dir, base } = posix.parse(path);
  const links: Link[] = [];
  const part = book.parts.get(posix.join(dir, '_rels', `${base}.rels`));
  if (!part) return links;
  await readXml(book, part, {
    open(name, attributes) {
      if (name !== 'Relationship') return;
      if (links.length === mostLinks) throw damaged(book.file, `it names more than ${mostLinks} parts`);
      const target = attribute(attributes, 'Target') ?? '';
      links.push({
        id: attribute(attributes, 'Id') ?? '',
        type: (attribute(attributes, 'Type') ?? '').split('/').at(-1)!,
        path: target.startsWith('/') ? target.slice(1) : posix.join(dir, target),
      });
    },
  });
  return links;
}

function partOf({ parts, file }: Book, path: string): ZipPart {
  const part = parts.get(path);
  if (!part) throw damaged(file, `its part ${path} is missing`);
  return part;
}

/** What a person sees, or everything where nothing is to be seen. */
function visibleOf(sheets: readonly Sheet[]): readonly Sheet[] {
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  return visible.length > 0 ? visible : sheets;
}

/** The first that a person sees, unless they name another. */
function chooseSheet(sheets: readonly Sheet[], wanted: string | undefined, file: string): Sheet {
  const names = sheets.slice(0, mostNamed).map(({ name }) => JSON.stringify(name));
  const [first] = visibleOf(sheets);
  if (!first) throw damaged(file, 'it has no sheet');
  if (wanted === undefined) return first;
  const text = wanted.trim().toLowerCase();
  const found = sheets.find(({ name }) => name.trim().toLowerCase() === text) ?? sheets[Number(text) - 1];
  if (found) return found;
  throw new CarillonError('usage-invalid', `${file} has no sheet ${JSON.stringify(wanted)}`, {
    remedy: `Its sheets are ${names.join(', ')}; a number from 1 to ${sheets.length} names one too.`,
  });
}

function emptySheet(file: string, { name }: Sheet, sheets: readonly Sheet[]): CarillonError {
  const others = visibleOf(sheets).filter((each) => each.name !== name);
  const named = others.slice(0, mostNamed).map((each) => JSON.stringify(each.name));
  return new CarillonError('file-broken', `${file} has nothing in its sheet ${JSON.stringify(name)}`, {
    remedy: `Its other sheets are ${named.join(', ')}; the option sheet names one.`,
  });
}

function hintsOf(
  sheets: readonly Sheet[],
  { name }: Sheet,
  wanted: string | undefined,
  file: string,
): string[] {
  const visible = visibleOf(sheets).length;
  if (wanted !== undefined || visible < 2) return [];
  return [
    `${file} has ${visible} sheets, and ${JSON.stringify(name)} is read; the option sheet names another.`,
  ];
}

async function readXml(book: Book, part: ZipPart, handler: XmlHandler): Promise<void> {
  const { name, size } = part;
  if (size > mostFacts)
    throw damaged(book.file, `its part ${name} has ${size} bytes, more than ${mostFacts}`);
  const reader = createXmlReader(handler, book.file);
  for await (const text of textOf(book, part)) reader.read(text);
  reader.end();
}

async function readStrings(book: Book, part: ZipPart, strings: SharedStrings): Promise<void> {
  const reader = createStringReader(strings, book.file);
  for await (const chunk of textOf(book, part)) {
    reader.read(chunk);
    await strings.flush();
  }
  reader.end();
  await strings.flush(0);
}

type Cells = { strings: SharedStrings; formats: readonly CellFormat[]; from1904: boolean };

async function* readRows(
  book: Book,
  part: ZipPart,
  cells: Cells,
  onRead: (bytes: number) => void,
): AsyncGenerator<CsvRecord[]> {
  const reader = createSheetReader({ file: book.file, ...cells });
  let unpacked = 0;
  for await (const text of textOf(book, part)) {
    unpacked += text.length;
    onRead(part.at + Math.round((part.packed * unpacked) / part.size));
    const records = reader.read(text);
    if (records.length > 0) yield records;
  }
  reader.end();
}

/** Workbooks are UTF-8; a few writers use UTF-16, with its mark. */
async function* textOf({ handle, file }: Book, part: ZipPart): AsyncGenerator<string> {
  let decoder: StringDecoder | undefined;
  for await (const bytes of unpack(handle, part, file)) {
    if (!decoder) {
      if (bytes[0] === 0xfe && bytes[1] === 0xff)
        throw damaged(file, 'its text has an order of bytes that is not used');
      decoder = new StringDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8');
    }
    yield decoder.write(bytes);
  }
}
