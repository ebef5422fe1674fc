// Imports a list into an empty ledger and prints how long it took. Runs in its own process, because memory is measured
// too.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { system, root, file, databaseUrl, order } = JSON.parse(process.argv[2]);

const importers = { carillon: importOurs, bare: importBare };
let most = process.memoryUsage.rss();
const atStart = most;
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, 50);
const { rows, seconds } = await importers[system]();
clearInterval(watch);
process.stdout.write(
  `${JSON.stringify({ rows, seconds, startMb: atStart / 2 ** 20, grownMb: (most - atStart) / 2 ** 20 })}\n`,
);

/** Imports from the file to waiting rows, with the code that `run` and the API use. */
async function importOurs() {
  const at = (path) => import(pathToFileURL(join(root, 'src', path)).href);
  const [{ openLedger }, { openCsv }] = await Promise.all([at('ledger/ledger.ts'), at('intake/csv.ts')]);
  const ledger = await openLedger(databaseUrl, 'http://127.0.0.1/v1');
  await ledger.campaigns.create({
    name: 'bench',
    baseUrl: 'http://127.0.0.1/v1',
    order,
    state: 'draft',
    driver: 'run',
  });
  const campaign = await ledger.campaigns.get('bench');
  const began = performance.now();
  const intake = await openCsv({ path: file });
  const { accepted } = await ledger.people.import(campaign.id, intake.batches, {
    columns: intake.columns,
    mode: 'whole',
  });
  const seconds = (performance.now() - began) / 1_000;
  await ledger.close();
  return { rows: accepted, seconds };
}

/** The obvious script: a CSV parser, the same phone library, COPY; no duplicate check, no time zones, no rejects. */
async function importBare() {
  const { parse } = await import('csv-parse');
  const { parsePhoneNumberFromString } = await import('libphonenumber-js');
  const { default: pg } = await import('pg');
  const { from } = await import('pg-copy-streams');
  const { pipeline } = await import('node:stream/promises');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    'create table people (row integer primary key, phone text not null, name text, input jsonb not null)',
  );
  const began = performance.now();
  let rows = 0;
  const escapeCopy = (text) =>
    text.replace(/[\\\t\n\r]/g, (char) => `\\${{ '\\': '\\', '\t': 't', '\n': 'n', '\r': 'r' }[char]}`);
  await pipeline(
    createReadStream(file),
    parse({ columns: true }),
    async function* (records) {
      let lines = [];
      for await (const record of records) {
        const phone = parsePhoneNumberFromString(record.phone, 'US');
        if (!phone) continue;
        rows += 1;
        lines.push(
          `${rows}\t${phone.number}\t${escapeCopy(record.name)}\t${escapeCopy(JSON.stringify(record))}\n`,
        );
        if (lines.length < 1_000) continue;
        yield lines.join('');
        lines = [];
      }
      yield lines.join('');
    },
    client.query(from('copy people from stdin')),
  );
  const seconds = (performance.now() - began) / 1_000;
  await client.end();
  return { rows, seconds };
}
