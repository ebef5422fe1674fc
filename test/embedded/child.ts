import pg from 'pg';
import { errorLine } from '../../src/base/errors.ts';
import { startEmbedded } from '../../src/embedded/embedded.ts';

/** A process that uses the embedded server until it is told to end, or ends with a line that says why it cannot. */
const say = (word: unknown) => process.stdout.write(`${JSON.stringify(word)}\n`);

const embedded = await startEmbedded({ home: process.argv[2]! }).catch((error: unknown) => {
  say({ error: errorLine(error) });
  process.exit(1);
});

let ending = false;
async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  const { rows } = await client.query('SELECT 1 AS alive');
  await client.end();
  await embedded.close();
  say(rows[0]);
  process.stdin.destroy();
}
process.on('SIGINT', () => void end());
process.stdin.once('data', () => void end());
say({ fresh: embedded.fresh, adopted: embedded.adopted, url: embedded.url, uid: process.getuid?.() });
