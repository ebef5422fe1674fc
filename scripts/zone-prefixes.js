/**
 * Writes src/rules/phone/zone-prefixes.ts from libphonenumber's public table of time zones. Run it when that table
 * changes:
 *
 *   node scripts/zone-prefixes.js map_data.txt
 *
 * `map_data.txt` is resources/timezones/map_data.txt of google/libphonenumber: one `prefix|Zone&Zone` per line.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const [source] = process.argv.slice(2);
if (!source) throw new Error('usage: node scripts/zone-prefixes.js map_data.txt');

/** Names that the zone database has replaced: some systems no longer install the old ones. */
const renamed = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Choibalsan': 'Asia/Ulaanbaatar',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

const zonesBy = new Map();
for (const line of readFileSync(source, 'utf8').split(/\r?\n/)) {
  const entry = /^(\d+)\|(\S+)$/.exec(line);
  if (!entry || entry[2] === 'Etc/Unknown') continue;
  const zones = entry[2].split('&').map((zone) => renamed[zone] ?? zone);
  for (const zone of zones) new Intl.DateTimeFormat('en', { timeZone: zone });
  zonesBy.set(entry[1], [...new Set(zones)].sort());
}

const groups = new Map();
for (const [prefix, zones] of [...zonesBy].sort(([a], [b]) => (a < b ? -1 : 1))) {
  // A prefix with the same zones as its next shorter one is left out.
  let shorter = prefix.slice(0, -1);
  while (shorter && !zonesBy.has(shorter)) shorter = shorter.slice(0, -1);
  const key = zones.join('& ');
  if (zonesBy.get(shorter)?.join('& ') !== key) groups.set(key, [...(groups.get(key) ?? []), prefix]);
}

const words = [...groups]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .flatMap(([zones, prefixes]) => [...zones.split(' '), ...prefixes]);
const lines = [''];
for (const word of words) {
  if (lines.at(-1).length + word.length > 108) lines.push('');
  lines[lines.length - 1] += lines.at(-1) ? ` ${word}` : word;
}
const target = new URL('../src/rules/phone/zone-prefixes.ts', import.meta.url);
writeFileSync(target, `${header()}export const zonePrefixes = \`\n${lines.join('\n')}\n\`;\n`);

function header() {
  return `/**
 * Which time zones a number's first digits can mean: zones (several are joined by "&") are followed by their
 * prefixes, and the longest prefix of a number counts. Made by scripts/zone-prefixes.js, never by hand.
 *
 * The facts come from google/libphonenumber, resources/timezones/map_data.txt, Copyright The Libphonenumber
 * Authors, Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0); reduced and rearranged here.
 */
`;
}
