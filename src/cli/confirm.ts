import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CarillonError } from '../base/errors.ts';
import { printable } from '../base/terminal-safe.ts';
import type { Cli } from './command-io.ts';
import { wrapFor } from './terminal/wrap.ts';

/** Says that an act was declined. */
export function declined(cli: Cli): undefined {
  cli.note('Nothing was changed.');
}

/**
 * Asks before an act that cannot be undone or that calls people again. Without a terminal, as under cron, ssh and
 * `docker exec`, nothing is done unless --yes is given.
 */
export async function agrees(
  cli: Cli,
  question: string,
  { first = [], signal }: { first?: readonly string[]; signal?: AbortSignal } = {},
): Promise<boolean> {
  if (!cli.io.stdin.isTTY) {
    throw new CarillonError(
      'usage-invalid',
      `Nothing was changed: there is no terminal to ask “${printable(question).replace(/\.$/, '')}”`,
      { remedy: 'Add --yes if you are sure.' },
    );
  }
  for (const line of first) cli.note(line);
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
