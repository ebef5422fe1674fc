import type { App } from '../app.ts';
import type { Page } from '../control/requests/page.ts';
import type { LedgerOnly } from '../ledger-only.ts';
import type { Cli, Command } from './command-io.ts';
import { eachPage, printItems, printLines } from './output/list.ts';
import { type Columns, tableOf } from './terminal/table.ts';

/** Commands that report: with --json one document, otherwise words for a person. */

/** Nothing where the words were written already. */
type Words = string | readonly string[] | undefined;

/** `find` does the work; `tell` says what it found. `check` refuses wrong usage before anything is opened. */
type Report<Opened, Typed extends unknown[], Found> = {
  find(opened: Opened, ...typed: Typed): Promise<Found>;
  tell(found: NoInfer<Found>, typed: NoInfer<Typed>): Words;
  check?(typed: NoInfer<Typed>): unknown;
};

export function onLedger<Typed extends unknown[], Found>(
  cli: Cli,
  made: Command,
  report: Report<LedgerOnly, Typed, Found>,
): Command {
  return reporting(cli, made, cli.withLedger, report);
}

export function onApp<Typed extends unknown[], Found>(
  cli: Cli,
  made: Command,
  report: Report<App, Typed, Found>,
): Command {
  return reporting(cli, made, cli.withApp, report);
}

function reporting<Opened, Typed extends unknown[], Found>(
  cli: Cli,
  made: Command,
  open: (work: (opened: Opened) => Promise<void>) => Promise<void>,
  { find, tell, check }: Report<Opened, Typed, Found>,
): Command {
  return withJson(made).action((...given) => {
    const typed = given as unknown as Typed;
    check?.(typed);
    return open(async (opened) => {
      const found = await find(opened, ...typed);
      if (wantsJson(given)) return cli.json(found);
      for (const line of [tell(found, typed) ?? []].flat()) cli.out(line);
    });
  });
}

/** A list of the ledger, written page by page; a table is drawn from all of it, so that its columns fit. */
type Listing<Item, Typed extends unknown[]> = {
  read(opened: LedgerOnly, page: object, ...typed: Typed): Promise<Page<Item>>;
  none: string | ((typed: NoInfer<Typed>) => string);
} & ({ columns: Columns<NoInfer<Item>> } | { draw(item: NoInfer<Item>): string | readonly string[] });

export function listing<Item, Typed extends unknown[]>(
  cli: Cli,
  made: Command,
  { read, none, ...shown }: Listing<Item, Typed>,
): Command {
  return withJson(made).action((...given) =>
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

function withJson(made: Command): Command {
  return made.option('--json', 'print one JSON document');
}

/** A group such as `keys` has --json too, and takes it from any position. */
function wantsJson(typed: readonly unknown[]): boolean {
  return (typed.at(-1) as Command).optsWithGlobals<{ json?: true }>().json === true;
}
