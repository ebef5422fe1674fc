import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Cli } from './cli.ts';

/** A terminal is asked; a script that left out --yes has said what it wants by running. */
export async function agrees(cli: Cli, question: string): Promise<boolean> {
  if (!cli.io.stdin.isTTY) return true;
  const lines = createInterface({ input: cli.io.stdin, output: cli.io.stderr });
  try {
    // A terminal that is closed, or Ctrl-C, is no yes.
    const answer = await Promise.race([lines.question(`${question} [y/N] `), once(lines, 'close')]);
    return typeof answer === 'string' && /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    lines.close();
  }
}
