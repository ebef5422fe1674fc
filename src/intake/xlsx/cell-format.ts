import { attribute, type XmlHandler } from './xml.ts';

/**
 * How a workbook shows its numbers, as far as it changes what they are: a date, or a phone that begins with zeros, a
 * plus or other digits. Other formats (thousands, currencies) only dress a number, and the number itself is read.
 * `unread` shows digits that are not understood: without them, the number may be the phone of another person.
 */
export type CellFormat =
  | { kind: 'date' | 'unread' }
  | { kind: 'digits'; before: string; length: number }
  | null;

/** Reads the XML of the styles: `formats` gets those of cells, by the number that a cell names. */
export function createFormatHandler(formats: CellFormat[]): XmlHandler {
  const codes = new Map<number, CellFormat>();
  let isCells = false;
  return {
    open(name, attributes) {
      const id = Number(attribute(attributes, 'numFmtId') ?? 0);
      if (name === 'cellXfs') isCells = true;
      else if (name === 'numFmt') codes.set(id, formatOfCode(attribute(attributes, 'formatCode') ?? ''));
      else if (name === 'xf' && isCells)
        formats.push(isBuiltInDate(id) ? { kind: 'date' } : (codes.get(id) ?? null));
    },
    close(name) {
      if (name === 'cellXfs') isCells = false;
    },
  };
}

/** Numbers that every spreadsheet knows without a code: of the West, and of East Asia. */
function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58);
}

/** One of the forms of a code, such as that of positive numbers. */
type Section = {
  /** What is shown as it stands, in front of the first place for a digit and behind it. */
  before: string;
  after: string;
  /** The places for digits, and what says how they are filled. */
  shape: string;
  hasPlace: boolean;
  isSpan: boolean;
  isConditional: boolean;
};

/** Text in quotes or escaped, a space as wide as a letter, a letter that fills the cell, brackets, or one letter. */
const token = /"([^"]*)"?|\\(.?)|_.?|\*(.?)|\[([^\]]*)\]?|E[+-]|General|./gisu;

function sectionsOf(code: string): Section[] {
  const begin = (): Section => ({
    ...{ before: '', after: '', shape: '' },
    ...{ hasPlace: false, isSpan: false, isConditional: false },
  });
  const sections = [begin()];
  for (const [all, quoted, escaped, filling, bracket] of code.matchAll(token)) {
    const section = sections.at(-1)!;
    const show = (text: string) => {
      section[section.hasPlace ? 'after' : 'before'] += text;
    };
    if (all === ';') sections.push(begin());
    else if (bracket !== undefined) {
      // `[$€-407]` is a currency, and any other text too.
      show(/^\$([^-]*)/.exec(bracket)?.[1] ?? '');
      if (/^[hms]+$/i.test(bracket)) section.isSpan = true;
      if (/^[<>=]/.test(bracket)) section.isConditional = true;
    } else if (quoted !== undefined || escaped !== undefined) show(quoted ?? escaped!);
    // How often it is shown depends on the width of the column.
    else if (filling !== undefined) show(/\d/.test(filling) ? `*${filling}` : '');
    else if (/^(?:[0#?.,%/@a-z]|E.|General)$/i.test(all)) {
      section.shape += all;
      section.hasPlace ||= /^(?:[0#?]|General)$/i.test(all);
    } else if (!all.startsWith('_')) show(all);
  }
  return sections;
}

function formatOfCode(code: string): CellFormat {
  const sections = sectionsOf(code);
  const formats = sections.map(formatOf);
  if (!sections.some(({ isConditional }) => isConditional)) return formats[0]!;
  // Which of them holds depends on the number.
  return formats.some((each) => each?.kind === 'unread' || (each?.kind === 'digits' && each.before !== ''))
    ? { kind: 'unread' }
    : null;
}

function formatOf({ before, after, shape, isSpan }: Section): CellFormat {
  // Spans such as [h]:mm are numbers of hours, not times.
  if (isSpan) return null;
  const bare = shape.replace(/\.0+/g, '');
  if (/[ymdhs]/i.test(bare) && !/[0#?]/.test(bare)) return { kind: 'date' };
  const front = frontOf(before);
  // Behind the number are units, such as m2, and the lower part of a fraction.
  const behind = shape.includes('/') ? '' : after.replace(/\b(?:[cdkm]?m|CO)[23]\b/gi, '');
  if (front === null || /\d/.test(behind)) return { kind: 'unread' };
  const isNumber = /^(?:[0#?]+(?:,[0#?]+)*(?:\.[0#?]*)?|general)$/i.test(shape);
  if (!isNumber) return /\d/.test(front) ? { kind: 'unread' } : null;
  const zero = /[.,]/.test(shape) ? -1 : shape.indexOf('0');
  const length = zero < 0 ? 0 : shape.length - zero;
  return front === '' && length < 2 ? null : { kind: 'digits', before: front, length };
}

/** The plus and the digits that are shown in front of each number; null if they are not understood. */
function frontOf(text: string): string | null {
  if (!/[\d+]/.test(text)) return '';
  // `+44 (0)` has a zero that is not dialled.
  const front = text.replace(/^(\s*\+[\s\d]*)\(0\)/, '$1').replace(/[\s()./-]/g, '');
  return /^\+?\d*$/.test(front) ? front : null;
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
  if (format?.kind !== 'digits' || !/^\d+(?:\.\d+)?$/.test(plain)) return plain;
  return format.before + (plain.includes('.') ? plain : plain.padStart(format.length, '0'));
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
