import type { Command } from 'commander';
import { listDeliveries, type ShownDelivery } from '../../control/webhooks/deliveries.ts';
import { addWebhook, listWebhooks, removeWebhook, type ShownWebhook } from '../../control/webhooks/manage.ts';
import { replayWebhook } from '../../control/webhooks/replay.ts';
import { testWebhook } from '../../control/webhooks/try.ts';
import { eventTypes } from '../../ledger/events/events.ts';
import { someOf } from '../closed-lists.ts';
import { type Cli, command, given } from '../command-io.ts';
import { summaries } from '../command-summaries.ts';
import { group } from '../group.ts';
import { eachPage, printItems, printLines } from '../output/list.ts';
import { counted } from '../output/summary.ts';
import { tableLines, timeText } from '../terminal/table.ts';

/** `carillon webhook`: addresses that are told what happens. */
export function webhookCommand(cli: Cli): Command {
  return group(
    'webhook',
    summaries.webhook.does,
    'carillon webhook add https://example.com/hook --events recipient.done,campaign.done',
    [
      addCommand(cli),
      listCommand(cli),
      testCommand(cli),
      replayCommand(cli),
      deliveriesCommand(cli),
      removeCommand(cli),
    ],
  );
}

function addCommand(cli: Cli): Command {
  return command(
    'add',
    'Add an address that is told what happens from now on. Its secret is shown once.',
    'carillon webhook add https://example.com/hook\ncarillon webhook add https://example.com/hook --events recipient.done,campaign.done --json',
  )
    .argument('<url>', 'an https:// address')
    .addOption(
      someOf(
        '--events <types>',
        'only events of these types, separated by commas (default: all)',
        eventTypes,
      ),
    )
    .option('--json', 'print one JSON document')
    .action((url: string, { json, ...flags }: { events?: string; json?: true }) => {
      const events = given(flags)
        .events?.split(',')
        .map((type) => type.trim());
      return cli.withLedger(async (opened) => {
        const { answer: made } = await addWebhook(opened, { url, ...(events ? { events } : {}) });
        if (json) return cli.json(made);
        cli.out(made.secret);
        cli.note(`This secret verifies the deliveries of the webhook ${made.id}. It is not shown again.`);
        cli.note(`Send one event to it with \`carillon webhook test ${made.id}\`.`);
      });
    });
}

function listCommand(cli: Cli): Command {
  return command('list', 'List the webhooks, with their state.', 'carillon webhook list')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const found = await listWebhooks(ledger);
        if (json) return cli.json(found);
        if (found.items.length === 0)
          return cli.out('There are no webhooks. Add one with `carillon webhook add`.');
        const header = [
          'ID',
          'STATE',
          'DELIVERED',
          'FAILED',
          'BEHIND',
          'HELD',
          'HELD SINCE',
          'NEXT TRY',
          'URL',
          'EVENTS',
          'WHY',
        ];
        await printLines(cli, tableLines(header, found.items.map(rowOf), cli.width()));
      }),
    );
}

function rowOf(webhook: ShownWebhook) {
  const { id, state, delivered, failed, behind, held, held_since, next_at, url, events, reason } = webhook;
  const since = held_since && timeText(held_since);
  const next = next_at && timeText(next_at);
  return [id, state, delivered, failed, behind, held, since, next, url, events?.join(',') ?? 'all', reason];
}

function testCommand(cli: Cli): Command {
  return command(
    'test',
    'Send one event to a webhook now. If it succeeds, queued events follow.',
    'carillon webhook test 0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55',
  )
    .argument('<id>', 'the webhook’s id')
    .option('--json', 'print one JSON document')
    .action((id: string, { json }: { json?: true }) =>
      cli.withLedger(async (opened) => {
        const tried = await testWebhook(opened, id);
        if (!tried.delivered) cli.exit(1);
        if (json) return cli.json(tried);
        const answer = tried.status === null ? '' : `It answered ${tried.status} in ${tried.ms} ms. `;
        if (tried.delivered) cli.out(`${answer}The webhook is ${tried.state}.`);
        else cli.note(`carillon: The event was not taken. ${answer}${tried.error ?? ''}`.trimEnd());
      }),
    );
}

function replayCommand(cli: Cli): Command {
  return command(
    'replay',
    'Deliver past events to a webhook again, with the same ids, since a time or from an event on.',
    'carillon webhook replay 0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55 --since 2h\ncarillon webhook replay 0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55 --event evt_019ab3c4d5e6000000001f40',
  )
    .argument('<id>', 'the webhook’s id')
    .option('--since <time>', 'a time, a date, or a span such as 2h for so long ago')
    .option('--event <id>', 'the id of the first event')
    .option('--json', 'print one JSON document')
    .action((id: string, { json, ...flags }: { since?: string; event?: string; json?: true }) =>
      cli.withLedger(async (opened) => {
        const replayed = await replayWebhook(opened, id, given(flags));
        if (json) return cli.json(replayed);
        cli.out(`${counted(replayed.behind, 'event')} queued again; those of its types are delivered.`);
      }),
    );
}

function deliveriesCommand(cli: Cli): Command {
  return command(
    'deliveries',
    'List the latest deliveries to a webhook, the newest first.',
    'carillon webhook deliveries 0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55 --failed',
  )
    .argument('<id>', 'the webhook’s id')
    .option('--failed', 'only those that were not taken')
    .option('--json', 'print one JSON document')
    .action((id: string, { json, failed }: { failed?: true; json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const read = (page: object) =>
          listDeliveries(ledger, id, { ...page, ...(failed ? { delivered: 'false' } : {}) });
        if (json) return printItems(cli, read);
        const all: ShownDelivery[] = [];
        for await (const items of eachPage(read)) all.push(...items);
        if (all.length === 0) return cli.out('Nothing was delivered yet.');
        const rows = all.map((each) => [
          timeText(each.at),
          each.delivered ? 'delivered' : 'failed',
          each.type,
          each.event,
          each.try,
          each.status,
          `${each.ms} ms`,
          each.error,
        ]);
        await printLines(
          cli,
          tableLines(['AT', 'END', 'TYPE', 'EVENT', 'TRY', 'STATUS', 'TOOK', 'WHY'], rows, cli.width()),
        );
      }),
    );
}

function removeCommand(cli: Cli): Command {
  return command(
    'remove',
    'Remove a webhook. Events that wait for it are forgotten.',
    'carillon webhook remove 0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55',
  )
    .argument('<id>', 'the webhook’s id')
    .option('--json', 'print one JSON document')
    .action((id: string, { json }: { json?: true }) =>
      cli.withLedger(async (opened) => {
        const gone = await removeWebhook(opened, id);
        if (json) return cli.json(gone);
        cli.out(`The webhook ${gone.id} is removed.`);
      }),
    );
}
