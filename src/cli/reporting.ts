import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Argument, Option } from 'commander';
import type { App } from '../app.ts';
import { printable, printableJson } from '../base/terminal-safe.ts';
import { allItems, type Page } from '../control/requests/page.ts';
import type { LedgerOnly } from '../ledger-only.ts';
import { type Cli, type Command, command } from './command-io.ts';
import { type Columns, tableOf } from './terminal/table.ts';
import { wrapFor } from './terminal/wrap.ts';

/** Commands that report: with --json one document, otherwise words for a person. */

/** What a command is called, says of itself and takes: arguments and options, in the order of its help. */
type Told = { name: string; does?: string; example: string; takes?: readonly Taken[] };
type Taken = readonly [flags: string, does: string, gather?: Gather] | Option | Argument;
type Gather = (value: string, before?: string[]) => string[];

/** Nothing where the words were written already. */
type Words = string | readonly string[] | undefined;

/**
 * `find` does the work, and answers nothing if it was declined; `tell` says what it found. `check` refuses wrong usage
 * before anything is opened.
 */
type Report<Opened, Typed extends unknown[], Found> = Told & {
  find(opened: Opened, ...typed: Typed): Promise<Found | undefined>;
  tell(found: NoInfer<Found>, typed: NoInfer<Typed>): Words;
  check?(typed: NoInfer<Typed>): unknown;
};

export function onLedger<Typed extends unknown[], Found>(
  cli: Cli,
  report: Report<LedgerOnly, Typed, Found>,
): Command {
  return reporting(cli, cli.withLedger, report);
}

export function onApp<Typed extends unknown[], Found>(cli: Cli, report: Report<App, Typed, Found>): Command {
  return reporting(cli, cli.withApp, report);
}

function reporting<Opened, Typed extends unknown[], Found>(
  cli: Cli,
  open: (work: (opened: Opened) => Promise<void>) => Promise<void>,
  { find, tell, check, ...told }: Report<Opened, Typed, Found>,
): Command {
  return made(told).action((...given) => {
    const typed = given as unknown as Typed;
    check?.(typed);
    return open(async (opened) => {
      const found = await find(opened, ...typed);
      if (found === undefined) return;
      if (wantsJson(given)) return cli.json(found);
      for (const line of [tell(found, typed) ?? []].flat()) cli.out(line);
    });
  });
}

/** A list of the ledger, written page by page; a table is drawn from all of it, so that its columns fit. */
type Listing<Item, Typed extends unknown[]> = Told & {
  read(opened: LedgerOnly, page: object, ...typed: Typed): Promise<Page<Item>>;
  none: string | ((typed: NoInfer<Typed>) => string);
} & ({ columns: Columns<NoInfer<Item>> } | { draw(item: NoInfer<Item>): string | readonly string[] });

export function listing<Item, Typed extends unknown[]>(
  cli: Cli,
  { read, none, ...shown }: Listing<Item, Typed>,
): Command {
  return made(shown).action((...given) =>
    cli.withLedger(async (opened) => {
      const typed = given as unknown as Typed;
      const pages = (page: object) => read(opened, page, ...typed);
      if (wantsJson(given)) return printItems(cli, pages);
      const all: Item[] = [];
      let listed = 0;
      for await (const items of eachPage(pages)) {
        listed += items.length;
        if ('draw' in shown) await printLines(cli, items.flatMap(shown.draw));
        else all.push(...items);
      }
      if (listed === 0) return cli.out(typeof none === 'string' ? none : none(typed));
      if ('columns' in shown) await printLines(cli, tableOf(shown.columns, all, cli.width()));
    }),
  );
}

function made({ name, does = '', example, takes = [] }: Told): Command {
  const made = command(name, does, example);
  for (const each of takes) {
    if (each instanceof Option) made.addOption(each);
    else if (each instanceof Argument) made.addArgument(each);
    else {
      const [flags, says, gather] = each;
      if (!flags.startsWith('-')) made.argument(flags, says);
      else if (gather) made.option(flags, says, gather);
      else made.option(flags, says);
    }
  }
  return made.option('--json', 'print one JSON document');
}

/** A group such as `keys` has --json too, and takes it from any position. */
function wantsJson(typed: readonly unknown[]): boolean {
  return (typed.at(-1) as Command).optsWithGlobals<{ json?: true }>().json === true;
}

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
