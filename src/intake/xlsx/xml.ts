import { damaged } from './zip.ts';

/**
 * Reads the XML of a workbook as it comes, in pieces, and keeps nothing of it. Only what workbooks contain is
 * understood: there are no entities of a document's own, so none can be expanded.
 */
export type XmlHandler = {
  /** Names have no prefix; `attributes` is their text, for `attribute`. */
  open(name: string, attributes: string): void;
  close?(name: string): void;
  /** As it stands, for `plainText`, perhaps in several pieces; CDATA is passed on as such text. */
  text?(text: string): void;
};
export type XmlReader = { read(chunk: string): void; end(): void };

/** No tag of a workbook is longer, and no comment or section: a cell has at most 32,767 characters. */
const longestTag = 65_536;
const longestMark = 1_000_000;

export function createXmlReader(handler: XmlHandler, file: string): XmlReader {
  let rest = '';
  let depth = 0;
  let isBegun = false;
  // Of a mark whose end has not come yet: how far it was searched, and the quote that is open there.
  let searched = 0;
  let quote = 0;

  return {
    read(chunk) {
      const text = rest + chunk;
      let at = 0;
      for (;;) {
        const found = text.indexOf('<', at);
        const start = found < 0 ? text.length : found;
        if (start > at && depth > 0) handler.text?.(text.slice(at, start));
        at = start;
        const end = found < 0 ? -1 : endOfMark(text, start);
        if (end < 0) break;
        readMark(text.slice(start + 1, end), text.charCodeAt(start + 1));
        at = end + 1;
        searched = 0;
        quote = 0;
      }
      rest = text.slice(at);
      const most = rest.startsWith('<!') ? longestMark : longestTag;
      if (rest.length > most) throw damaged(file, `it has a mark of more than ${most} characters`);
    },
    end() {
      if (depth !== 0 || !isBegun) throw damaged(file, 'a part of it ends in the middle');
    },
  };

  /** Where the `>` of a tag, a comment or a section is; -1 if it has not come yet. */
  function endOfMark(text: string, start: number): number {
    if (text.startsWith('<!--', start)) return endAfter(text, '-->', start, 4);
    if (text.startsWith('<![CDATA[', start)) return endAfter(text, ']]>', start, 9);
    // Too short to tell what it is.
    if (text.length - start < 9 && text.startsWith('<!', start)) return -1;
    for (let at = start + searched; at < text.length; at++) {
      const code = text.charCodeAt(at);
      // A value in quotes may have one too.
      if (quote !== 0) quote = code === quote ? 0 : quote;
      else if (code === DOUBLE || code === SINGLE) quote = code;
      else if (code === GREATER) return at;
    }
    searched = text.length - start;
    return -1;
  }

  function endAfter(text: string, mark: string, start: number, begin: number): number {
    const at = text.indexOf(mark, start + Math.max(begin, searched));
    // Half of it may have come.
    searched = text.length - start - mark.length;
    return at < 0 ? -1 : at + mark.length - 1;
  }

  /** `mark` is what stands between `<` and `>`. */
  function readMark(mark: string, first: number) {
    if (first === QUESTION) return;
    if (first === EXCLAMATION) {
      if (mark.startsWith('![CDATA[')) handler.text?.(mark.slice(8, -2).replaceAll('&', '&amp;'));
      else if (!mark.startsWith('!--')) throw damaged(file, 'it declares a document type');
      return;
    }
    if (first === SLASH) {
      depth--;
      if (depth < 0) throw damaged(file, 'its XML is not valid');
      return handler.close?.(localName(mark.slice(1).trim()));
    }
    isBegun = true;
    const isEmpty = mark.charCodeAt(mark.length - 1) === SLASH;
    const inside = isEmpty ? mark.slice(0, -1) : mark;
    const space = inside.search(/\s/);
    const name = localName(space < 0 ? inside : inside.slice(0, space));
    handler.open(name, space < 0 ? '' : inside.slice(space));
    if (isEmpty) handler.close?.(name);
    else depth++;
  }
}

const QUESTION = 63;
const EXCLAMATION = 33;
const SLASH = 47;
const DOUBLE = 34;
const SINGLE = 39;
const GREATER = 62;

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

const patterns = new Map<string, RegExp>();

/** The value of an attribute, whatever its prefix; undefined if it is not there. */
export function attribute(attributes: string, name: string): string | undefined {
  let pattern = patterns.get(name);
  if (!pattern) {
    pattern = new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
    patterns.set(name, pattern);
  }
  const found = pattern.exec(attributes);
  const value = found?.[1] ?? found?.[2];
  return value === undefined ? undefined : plainText(value);
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Text with its characters in place of their references. */
export function plainText(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi, (all, hex, decimal, name: string) => {
    if (name !== undefined) return named[name] ?? all;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/** The text of a cell. Workbooks write control characters as `_x000D_`; the ledger has no NUL and no half a pair. */
export function cellText(text: string): string {
  const plain = plainText(text);
  const whole = plain.includes('_x')
    ? plain.replace(/_x([\dA-F]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : plain;
  return (whole as string & { toWellFormed(): string }).toWellFormed().replaceAll('\0', '');
}
