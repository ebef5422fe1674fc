import { resolve } from 'node:path';
import { beginBulk, stopBulk } from '../../../control/bulk/begin.ts';
import { listBulks, openResult, showBulk } from '../../../control/bulk/show.ts';
import { formatOf } from '../../../export/results.ts';
import { isObject, targetAt } from '../../../export/target.ts';
import { oneOf } from '../../closed-lists.ts';
import { besideRows, type Cli, type Command, command, group, required } from '../../command-io.ts';
import { type BulkFlags, filterFlags, filterOf } from '../../flags.ts';
import { count, counted } from '../../output/summary.ts';
import { listing, onLedger } from '../../reporting.ts';
import { timeText } from '../../terminal/table.ts';
import { actOn, tellBulk } from './act.ts';

/** `carillon bulk`: one act on everyone whom a filter finds, over all campaigns or in one. */
export function bulkCommand(cli: Cli): Command {
  return group('bulk', 'carillon bulk retry --campaign march --outcome no-answer', [
    retryCommand(cli),
    skipCommand(cli),
    suppressCommand(cli),
    resolveCommand(cli),
    exportCommand(cli),
    listing(cli, {
      name: 'list',
      does: 'List the bulk acts, latest first.',
      example: 'carillon bulk list',
      read: ({ ledger }, page) => listBulks(ledger, page),
      none: 'There are no bulk acts yet.',
      columns: {
        ACT: ({ act }) => act,
        STATE: ({ state }) => state,
        PEOPLE: ({ people }) => count(people),
        SEEN: ({ seen }) => count(seen),
        DONE: ({ done }) => count(done),
        BEGAN: ({ created_at: at }) => timeText(at),
        ID: ({ id }) => id,
      },
    }),
    onLedger(cli, {
      name: 'show',
      does: 'Show a bulk act’s progress and result.',
      example: `carillon bulk show ${exampleId}`,
      takes: [idArgument],
      find: ({ ledger }, id: string) => showBulk(ledger, id),
      tell: tellBulk,
    }),
    onLedger(cli, {
      name: 'stop',
      does: 'Stop a bulk act; the finished part stays done.',
      example: `carillon bulk stop ${exampleId}`,
      takes: [idArgument],
      find: (opened, id: string) => stopBulk(opened, id),
      tell: tellBulk,
    }),
  ]);
}

function retryCommand(cli: Cli): Command {
  return acting(
    'retry',
    'Call people again whose calls have ended: at least once more, even beyond the maximum of attempts.',
    'carillon bulk retry --campaign march --outcome failed,no-answer',
  )
    .option('--now', 'also people who wait for another attempt: call them now, not at the planned time')
    .action(({ now, ...flags }: BulkFlags & { now?: true }) => actOn(cli, 'retry', { now }, flags));
}

function skipCommand(cli: Cli): Command {
  return acting(
    'skip',
    'Take people who wait off their lists. A call in progress is not touched.',
    'carillon bulk skip --campaign march --variable plan:gold',
  ).action((flags: BulkFlags) => actOn(cli, 'skip', {}, flags));
}

type SuppressFlags = { until?: string; reason?: string; hangUp?: true };

function suppressCommand(cli: Cli): Command {
  return acting(
    'suppress',
    'Suppress the phones of people: no campaign calls them any more.',
    'carillon bulk suppress --campaign march --outcome answered --until 30d --reason "asked to wait"',
  )
    .option('--until <time>', 'when it ends: a time, a date, or a span such as 30d (default: never)')
    .option('--reason <text>', 'why, for anyone who reads the list')
    .option('--hang-up', 'end their calls in progress too')
    .action(({ until, reason, hangUp, ...flags }: BulkFlags & SuppressFlags) =>
      actOn(cli, 'suppress', { until, reason, hang_up: hangUp }, flags),
    );
}

function resolveCommand(cli: Cli): Command {
  return acting(
    'resolve',
    'Settle unknown attempts: record whether people were called.',
    'carillon bulk resolve --campaign march --as not-called --reason "the service was down"',
  )
    .addOption(oneOf('--as <finding>', 'what was found out', ['called', 'not-called']))
    .option('--reason <text>', 'how this was found out')
    .action(({ as, reason, ...flags }: BulkFlags & { as?: string; reason?: string }) =>
      actOn(cli, 'resolve', { as: required(as, '--as <called|not-called>'), reason }, flags),
    );
}

function exportCommand(cli: Cli): Command {
  const made = command(
    'export',
    'Write people’s results to a file, from one campaign or many.',
    'carillon bulk export --outcome answered --since 2026-03-01T00:00:00Z --out answered.csv',
  );
  return filterFlags(made)
    .option('--out <file>', 'the file, .csv, .ndjson or .parquet, or its s3:// address; - is stdout, as CSV')
    .option('--json', 'print one JSON document; with --out - on stderr')
    .action(({ out, json, ...flags }: BulkFlags & { out?: string }) =>
      cli.withLedger(async (opened) => {
        const to = required(out, '--out <file>');
        const toStdout = to === '-';
        const told = toStdout ? besideRows(cli) : cli;
        const format = toStdout ? 'csv' : formatOf(to);
        const body = { act: 'export', filter: filterOf(flags) };
        const { answer: begun } = await beginBulk(opened, body, 'manual');
        if (!('id' in begun)) return;
        const result = await openResult(opened, begun.id);
        const path = isObject(to) ? to : resolve(cli.io.cwd, to);
        const target = toStdout ? { stream: cli.io.stdout } : targetAt(path, opened.config);
        const rows = await result.write(target, format);
        if (json) return told.json(begun);
        told.out(`${counted(rows, 'row')} written to ${toStdout ? 'standard output' : to}.`);
      }),
    );
}

function acting(name: string, description: string, example: string): Command {
  return filterFlags(command(name, description, example))
    .option('--dry-run', 'only count the people, and say how many are eligible')
    .option('--yes', 'do not ask (required in scripts)')
    .option('-q, --quiet', 'no progress')
    .option('--json', 'print one JSON document');
}

const exampleId = '5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f';
const idArgument = ['<id>', 'the act’s id'] as const;
