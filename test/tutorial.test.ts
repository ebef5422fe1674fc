import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from './support/checkout.ts';
import { until } from './support/journeys.ts';
import { freePort } from './support/ports.ts';
import { emptyDatabase, type TestDatabase } from './support/postgres.ts';
import { missingOf, openTerminal, stepsOf, type Terminal } from './support/terminal.ts';

/** The tutorial is typed as it stands, against the simulator that it starts itself. */
const tutorial = readFileSync(join(root, 'docs/tutorial.md'), 'utf8');

/** How long something took. */
const varies = [/, \d+ s$/];

let database: TestDatabase;
let port: number;
let terminal: Terminal;

beforeAll(async () => {
  database = await emptyDatabase();
  port = await freePort();
  // In a checkout, npx finds the program that the checkout holds; here it is told.
  const week = `'${join(root, 'node_modules/.bin/tsx')}' '${join(root, 'bench/week/main.ts')}'`;
  terminal = openTerminal(
    {
      npx: { skips: 1, runs: `'${process.execPath}' '${join(root, 'bin/carillon.js')}'` },
      npm: { skips: 3, runs: week },
    },
    { DATABASE_URL: database.url },
  );
});

afterAll(async () => {
  await terminal.close();
  await database.drop();
});

it('the tutorial’s commands do what the tutorial shows', async () => {
  const steps = stepsOf(tutorial.replaceAll('4010', String(port)));
  expect(steps.length).toBeGreaterThan(10);
  for (const step of steps) {
    const typed = terminal.type(step.commands);
    const prints = () => missingOf(step, typed.output(), varies).length === 0;
    if (step.commands.includes('carillon sim ')) {
      await until(prints, step.commands);
      continue;
    }
    const interrupted = step.marks.includes('test: Ctrl-C');
    if (interrupted) {
      await until(async () => (await callsMade()) > 0, 'a call');
      terminal.interrupt(typed);
    }
    const code = await typed.ended;
    // A shell that is ended by Ctrl-C, too, has no code.
    expect(interrupted ? [130, null] : [0], `${step.commands}\n${typed.output()}`).toContain(code);
    expect(missingOf(step, typed.output(), varies), `${step.commands}\n${typed.output()}`).toEqual([]);
  }
});

async function callsMade(): Promise<number> {
  const state = await fetch(`http://127.0.0.1:${port}/_sim/state`);
  return ((await state.json()) as { created: number }).created;
}
