import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { printable, printableJson } from '../../base/terminal-safe.ts';
import { allItems, type Page } from '../../control/requests/page.ts';
import type { Cli } from '../command-io.ts';
import { wrapFor } from '../terminal/wrap.ts';

/** Lists of any length: page by page, each written when the reader has taken the one before. */
const limit = 1_000;
type Read<Item> = (page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>;

/**
 * One document, written while it is read, because a list may be larger than memory. A list that fails at once writes
 * nothing.
 */
export async function printItems<Item>(cli: Cli, read: Read<Item>): Promise<void> {
  const { stdout } = cli.io;
  let before = '{"items":[';
  for await (const items of eachPage(read)) {
    if (items.length === 0) continue;
    await write(stdout, before + items.map((item) => printableJson(JSON.stringify(item))).join(','));
    before = ',';
  }
  await write(stdout, `${before === ',' ? '' : before}],"next":null}\n`);
}

export async function printLines(cli: Cli, lines: readonly string[]): Promise<void> {
  if (lines.length > 0)
    await write(cli.io.stdout, `${wrapFor(cli.io.stdout, printable(lines.join('\n')))}\n`);
}

export function eachPage<Item>(read: Read<Item>): AsyncGenerator<Item[]> {
  return allItems((cursor) => read({ limit, cursor }));
}

async function write(stream: Writable, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}
