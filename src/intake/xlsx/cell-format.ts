import { attribute, createXmlReader } from './xml.ts';

/**
 * How a workbook shows its numbers, as far as it changes what they are: a date, or a phone that begins with zeros or a
 * plus. Other formats (thousands, currencies) only dress a number, and the number itself is read.
 */
export type CellFormat = { kind: 'date' } | { kind: 'digits'; before: string; length: number } | null;

/** The formats of cells, by the number that a cell names. */
export function createFormatReader(file: string): { read(chunk: string): void; end(): CellFormat[] } {
  const codes = new Map<number, string>();
  const formats: CellFormat[] = [];
  let isCells = false;
  const reader = createXmlReader(
    {
      open(name, attributes) {
        if (name === 'cellXfs') isCells = true;
        else if (name === 'numFmt')
          codes.set(Number(attribute(attributes, 'numFmtId')), attribute(attributes, 'formatCode') ?? '');
        else if (name === 'xf' && isCells) {
          const id = Number(attribute(attributes, 'numFmtId') ?? 0);
          formats.push(isBuiltInDate(id) ? { kind: 'date' } : formatOfCode(codes.get(id) ?? ''));
        }
      },
      close(name) {
        if (name === 'cellXfs') isCells = false;
      },
      text: () => undefined,
    },
    file,
  );
  return {
    read: reader.read,
    end() {
      reader.end();
      return formats;
    },
  };
}

/** Numbers that every spreadsheet knows without a code: of the West, and of East Asia. */
function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58);
}

export function formatOfCode(code: string): CellFormat {
  const [first = ''] = code.split(';');
  const digits = /^(?:\\?\+|"\+")?([0#]+)$/.exec(first);
  if (digits && (first.includes('+') || /^0{2,}$/.test(first)))
    return {
      kind: 'digits',
      before: first.includes('+') ? '+' : '',
      length: digits[1]!.replaceAll('#', '').length,
    };
  // Spans such as [h]:mm are numbers of hours, not times.
  if (/\[[hms]+\]/i.test(first)) return null;
  const bare = first.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '').replace(/\.0+/g, '');
  return /[ymdhs]/i.test(bare) && !/[0#?]/.test(bare) ? { kind: 'date' } : null;
}

const dayMs = 86_400_000;
/** The first day after the last of the year 9999. */
const endOfTime = 2_958_466;

/** A number as a person reads it in the sheet. `from1904` is how old Macs counted days. */
export function numberText(text: string, format: CellFormat, from1904: boolean): string {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) return text;
  if (format?.kind === 'date' && value >= 0 && value < endOfTime) return dateText(value, from1904);
  const plain = /^-?\d+$/.test(text) ? text : String(value);
  if (format?.kind !== 'digits' || !/^\d+$/.test(plain)) return plain;
  return format.before + plain.padStart(format.length, '0');
}

/** ISO 8601, without a zone: a sheet has none. */
function dateText(serial: number, from1904: boolean): string {
  const seconds = Math.round((serial % 1) * 86_400);
  const days = Math.floor(serial);
  // By a mistake that all spreadsheets keep, 1900 was a leap year: day 60 is the 29th of February.
  const epoch = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const whole = new Date(epoch + days * dayMs + seconds * 1_000).toISOString();
  if (serial < 1 && !from1904) return seconds === 0 ? '00:00:00' : whole.slice(11, 19);
  return seconds === 0 ? whole.slice(0, 10) : whole.slice(0, 19);
}
