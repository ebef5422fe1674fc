import { zonePrefixes } from './zone-prefixes.ts';

/** The time zones in which a number's owner may live, by its first digits. */

type Table = { zones: Map<string, readonly string[]>; longest: number };

const nowhere: readonly string[] = Object.freeze([]);

/** Tables by a number's first digit, because most plans need far fewer digits than the longest. */
let tables: Map<string, Table> | undefined;

/**
 * The sorted zones of an E.164 number's longest known prefix: those of its area if the plan shows it, else all of its
 * country or plan. Empty for numbers that belong to no place (+800, +870, +883, ...): their local time is unknown, so
 * only a window that is always open lets them through.
 *
 * The list is shared between calls: the same prefix gives the same array.
 */
export function zonesOf(phone: string): readonly string[] {
  tables ??= readTables();
  const start = phone.startsWith('+') ? 1 : 0;
  const table = tables.get(phone.charAt(start));
  if (!table) return nowhere;
  for (let length = Math.min(table.longest, phone.length - start); length > 0; length--) {
    const zones = table.zones.get(phone.slice(start, start + length));
    if (zones) return zones;
  }
  return nowhere;
}

/** The zone lists of every number that begins with these digits. */
export function zonesUnder(digits: string): (readonly string[])[] {
  const own = zonesOf(`+${digits}`);
  const table = tables?.get(digits.charAt(0));
  return [
    own,
    ...[...(table?.zones ?? [])].filter(([prefix]) => prefix.startsWith(digits)).map(([, zones]) => zones),
  ];
}

function readTables(): Map<string, Table> {
  const made = new Map<string, Table>();
  let names: string[] = [];
  let zones: readonly string[] = nowhere;
  let open = false;
  for (const word of zonePrefixes.split(/\s+/)) {
    if (!word) continue;
    if (word.charCodeAt(0) > 57) {
      names = open ? [...names, word] : [word];
      open = word.endsWith('&');
      if (!open) zones = Object.freeze(names.map((name) => name.replace('&', '')));
      continue;
    }
    const digit = word.charAt(0);
    const table = made.get(digit) ?? { zones: new Map(), longest: 0 };
    table.zones.set(word, zones);
    table.longest = Math.max(table.longest, word.length);
    made.set(digit, table);
  }
  return made;
}
