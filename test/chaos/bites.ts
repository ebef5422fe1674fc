import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the processes' own logs say of a fault: one that nobody noticed may not have happened. */
const signs: Readonly<Record<string, RegExp>> = {
  'must not dial: its clock': /clock is [\d.]+ s (?:ahead of|behind) the ledger's: nothing is dialled/g,
  'must not dial: its contact rules': /are not the ones in force [^"]*nothing is dialled/g,
  'must not dial: no room for call ids': /spool cannot be written[^"]*no call is made/g,
  'a call id had no room on disk': /a call id could not be kept on disk/g,
  'a call id waited on disk': /a call id was kept on disk/g,
  'a connection to the ledger fell silent': /fell silent/g,
  'a deadlock was lost': /lost a deadlock/g,
};

export function countBites(folder: string): Record<string, number> {
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
  const text = logs.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  return Object.fromEntries(
    Object.entries(signs).flatMap(([what, sign]) => {
      const times = text.match(sign)?.length ?? 0;
      return times > 0 ? [[what, times]] : [];
    }),
  );
}
