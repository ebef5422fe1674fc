import pg from 'pg';
import { startEmbedded } from '../../src/embedded/embedded.ts';

/** A process of its own that uses the embedded server until it is told to end. */
const embedded = await startEmbedded({ home: process.argv[2]! });
const say = (word: unknown) => process.stdout.write(`${JSON.stringify(word)}\n`);

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
