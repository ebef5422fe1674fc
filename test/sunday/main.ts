/**
 * `npm run sunday`: each incident in turn, for a person at the page. Say what is wrong and why, and press what you would
 * press: Enter tells what it was, how long you took, and goes on. Ctrl-C ends it.
 */
import { createInterface } from 'node:readline/promises';
import { startTestPostgres } from '../support/postgres.ts';
import { incidents, openGround } from './incidents.ts';

const server = await startTestPostgres();
const ground = await openGround(server);
const lines = createInterface({ input: process.stdin, output: process.stdout });
const ended = new AbortController();
lines.once('close', () => ended.abort());
const beats = setInterval(() => void ground.beat().catch(() => undefined), 2_000);
try {
  console.log(
    `Open ${ground.api.url} and leave it on the overview. There are ${incidents.length} incidents.`,
  );
  for (const [at, { what, happen, tells, act, repair }] of incidents.entries()) {
    await lines.question(`\nEnter begins incident ${at + 1}. `, ended);
    await happen(ground);
    const begun = performance.now();
    await lines.question('What is wrong, and what would you do? Enter when you have done it. ', ended);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    console.log(`${what} The page said: "${tells}"${act ? `, and offered: ${act}` : ''}. ${seconds} s.`);
    await repair?.(ground);
    await ground.calm();
  }
} catch (error) {
  if (!ended.signal.aborted) throw error;
} finally {
  clearInterval(beats);
  lines.close();
  await ground.proxy.restore();
  await ground.close();
  await server.stop();
}
