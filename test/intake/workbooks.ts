import { crc32, deflateRawSync } from 'node:zlib';

/** Workbooks as small programs write them, and as nobody should: each part is given as it stands in the file. */
export type Part = string | Uint8Array | { bytes: Uint8Array; size?: number; flags?: number; crc?: number };

export function zip(parts: Record<string, Part>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, part] of Object.entries(parts)) {
    const given =
      typeof part === 'string' || part instanceof Uint8Array ? { bytes: Buffer.from(part) } : part;
    const {
      bytes,
      size = bytes.length,
      flags = 0,
      crc = crc32(bytes),
    } = given as Exclude<Part, string | Uint8Array>;
    const packed = deflateRawSync(bytes);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(flags, 2);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc, 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(size, 18);
    facts.writeUInt16LE(Buffer.byteLength(name), 22);
    const header = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name)]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), facts, rest, Buffer.from(name));
    files.push(header, packed);
    at += header.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Object.keys(parts).length, 8);
  end.writeUInt16LE(Object.keys(parts).length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, list, end]);
}

const links = (items: string) =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items}</Relationships>`;
const link = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;

export type Contents = {
  /** The rows of each sheet, as XML. */
  sheets: Record<string, string>;
  strings?: string;
  styles?: string;
  /** What stands beside the sheets in the workbook. */
  book?: string;
  parts?: Record<string, Part>;
};

export function workbook({ sheets, strings, styles, book = '', parts = {} }: Contents): Buffer {
  const names = Object.keys(sheets);
  return zip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': links(link('rId1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `<workbook>${book}<sheets>${names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="s${at}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': links(
      names.map((_, at) => link(`s${at}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)).join('') +
        link('x1', 'sharedStrings', '/xl/sharedStrings.xml') +
        link('x2', 'styles', 'styles.xml'),
    ),
    ...(strings === undefined ? {} : { 'xl/sharedStrings.xml': `<sst>${strings}</sst>` }),
    ...(styles === undefined ? {} : { 'xl/styles.xml': `<styleSheet>${styles}</styleSheet>` }),
    ...Object.fromEntries(
      Object.values(sheets).map((rows, at) => [`xl/worksheets/sheet${at + 1}.xml`, sheetOf(rows)]),
    ),
    ...parts,
  });
}

export const sheetOf = (rows: string) =>
  `<?xml version="1.0"?><worksheet><sheetData>${rows}</sheetData></worksheet>`;

/** A row of cells that hold their text themselves. */
export const textRow = (row: number, ...cells: string[]) =>
  `<row r="${row}">${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`;
