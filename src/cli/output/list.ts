import type { Page } from '../../control/page.ts';
import { allItems } from '../../control/page.ts';
import type { Cli } from '../cli.ts';

/** Lists of any length: a page is asked for after the other. */
const limit = 1_000;
type Read<Item> = (page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>;

/** One document, written as it is read: a list may be longer than the memory. */
export async function printItems<Item>(cli: Cli, read: Read<Item>): Promise<void> {
  const { stdout } = cli.io;
  stdout.write('{"items":[');
  let first = true;
  for await (const items of eachPage(read)) {
    for (const item of items) {
      stdout.write(`${first ? '' : ','}${JSON.stringify(item)}`);
      first = false;
    }
  }
  stdout.write('],"next":null}\n');
}

export function eachPage<Item>(read: Read<Item>): AsyncGenerator<Item[]> {
  return allItems((cursor) => read({ limit, cursor }));
}
