/**
 * Judges a JSON body by its brackets and commas, before it is parsed. A list of half a million wrong entries costs
 * seconds to refuse one by one, and a value that is nested too deeply can be read and never be written again.
 */
export const mostEntries = 10_000;
export const mostDeep = 100;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** What there is too much of, or null. A text that is not JSON is left to its parser. */
export function findExcess(body: Uint8Array): string | null {
  const entries = new Uint32Array(mostDeep + 1);
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < body.length; at++) {
    const sign = body[at]!;
    if (quoted) {
      if (sign === backslash) at++;
      else if (sign === quote) quoted = false;
    } else if (sign === quote) quoted = true;
    else if (sign === comma) {
      entries[depth]!++;
      if (entries[depth]! >= mostEntries)
        return `The body has a list or an object of more than ${mostEntries} entries`;
    } else if (opening.has(sign)) {
      depth++;
      if (depth > mostDeep) return `The body is nested more than ${mostDeep} deep`;
      entries[depth] = 0;
    } else if (closing.has(sign) && depth > 0) depth--;
  }
  return null;
}
