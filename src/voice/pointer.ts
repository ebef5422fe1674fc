/** Reads values out of JSON by pointers (RFC 6901); `*` stands for any item of a list. */
export function valuesAt(value: unknown, pointer: string): unknown[] {
  return valuesBelow(value, partsOf(pointer), 0);
}

/** Most pointers have no star, and every poll reads a record at twenty of them. */
function valuesBelow(value: unknown, parts: readonly string[], from: number): unknown[] {
  let at = value;
  for (let nth = from; nth < parts.length; nth++) {
    const name = parts[nth]!;
    if (name === '*') return Array.isArray(at) ? at.flatMap((each) => valuesBelow(each, parts, nth + 1)) : [];
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return [];
    at = (at as Record<string, unknown>)[name];
  }
  return [at];
}

/** The first value that is neither null nor empty text. */
export function firstAt(value: unknown, pointers: string | readonly string[]): unknown {
  for (const pointer of typeof pointers === 'string' ? [pointers] : pointers) {
    for (const found of valuesAt(value, pointer)) if (!isEmpty(found)) return found;
  }
  return undefined;
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** The name of the record's own field that a pointer leads into; null for the record itself. */
export function topOf(pointer: string): string | null {
  return partsOf(pointer)[0] ?? null;
}

export const pointerForm = /^(\/([^~]|~[01])*)?$/;

const split = new Map<string, readonly string[]>();

function partsOf(pointer: string): readonly string[] {
  let parts = split.get(pointer);
  if (!parts) {
    parts = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    split.set(pointer, parts);
  }
  return parts;
}
