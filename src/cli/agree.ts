import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { printable } from '../base/printable.ts';
import type { Cli } from './cli.ts';
import { wrapFor } from './output/wrap.ts';

/** Asks on a terminal. A script answers by running at all, with or without --yes. */
export async function agrees(cli: Cli, question: string, signal?: AbortSignal): Promise<boolean> {
  if (!cli.io.stdin.isTTY) return true;
  const lines = createInterface({ input: cli.io.stdin, output: cli.io.stderr });
  try {
    const asked = lines.question(
      `${wrapFor(cli.io.stderr, `${printable(question)} [y/N]`)} `,
      signal ? { signal } : {},
    );
    // A closed terminal, or Ctrl-C, counts as no.
    const answer = await Promise.race([asked.catch(() => ''), once(lines, 'close')]);
    return typeof answer === 'string' && /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    lines.close();
  }
}
