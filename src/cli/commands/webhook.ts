import { listDeliveries, replayWebhook, testWebhook } from '../../control/webhooks/deliveries.ts';
import { addWebhook, listWebhooks, removeWebhook } from '../../control/webhooks/manage.ts';
import { eventTypes } from '../../ledger/events/events.ts';
import { namesIn, someOf } from '../closed-lists.ts';
import { type Cli, type Command, command, given } from '../command-io.ts';
import { group } from '../group.ts';
import { counted } from '../output/summary.ts';
import { listing, onLedger } from '../reporting.ts';
import { timeCell, timeText } from '../terminal/table.ts';

/** `carillon webhook`: addresses that are told what happens. */
export function webhookCommand(cli: Cli): Command {
  return group(
    'webhook',
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

const exampleId = '0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55';
const idArgument = ['<id>', 'the webhook’s id'] as const;

function addCommand(cli: Cli): Command {
  const made = command(
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
    );
  return onLedger(cli, made, {
    find: async (opened, url: string, { events }: { events?: string }) =>
      (await addWebhook(opened, { url, ...(events && { events: namesIn(events) }) })).answer,
    tell({ id, secret }) {
      cli.out(secret);
      cli.note(`This secret verifies the deliveries of the webhook ${id}. It is not shown again.`);
      cli.note(`Send one event to it with \`carillon webhook test ${id}\`.`);
    },
  });
}

function listCommand(cli: Cli): Command {
  const made = command('list', 'List the webhooks, with their state.', 'carillon webhook list');
  return listing(cli, made, {
    read: ({ ledger }) => listWebhooks(ledger),
    none: 'There are no webhooks. Add one with `carillon webhook add`.',
    columns: {
      ID: ({ id }) => id,
      STATE: ({ state }) => state,
      DELIVERED: ({ delivered }) => delivered,
      FAILED: ({ failed }) => failed,
      BEHIND: ({ behind }) => behind,
      HELD: ({ held }) => held,
      'HELD SINCE': ({ held_since: since }) => timeCell(since),
      'NEXT TRY': ({ next_at: next }) => timeCell(next),
      URL: ({ url }) => url,
      EVENTS: ({ events }) => events?.join(',') ?? 'all',
      WHY: ({ reason }) => reason,
    },
  });
}

function testCommand(cli: Cli): Command {
  const made = command(
    'test',
    'Send one event to a webhook now. If it succeeds, queued events follow.',
    `carillon webhook test ${exampleId}`,
  ).argument(...idArgument);
  return onLedger(cli, made, {
    async find(opened, id: string) {
      const tried = await testWebhook(opened, id);
      if (!tried.delivered) cli.exit(1);
      return tried;
    },
    tell({ delivered, status, ms, state, error }) {
      const answer = status === null ? '' : `It answered ${status} in ${ms} ms. `;
      if (delivered) return `${answer}The webhook is ${state}.`;
      cli.note(`carillon: The event was not taken. ${answer}${error ?? ''}`.trimEnd());
    },
  });
}

function replayCommand(cli: Cli): Command {
  const made = command(
    'replay',
    'Deliver past events to a webhook again, with the same ids, since a time or from an event on.',
    `carillon webhook replay ${exampleId} --since 2h\ncarillon webhook replay ${exampleId} --event evt_019ab3c4d5e6000000001f40`,
  )
    .argument(...idArgument)
    .option('--since <time>', 'a time, a date, or a span such as 2h for so long ago')
    .option('--event <id>', 'the id of the first event');
  return onLedger(cli, made, {
    find: (opened, id: string, { since, event }: { since?: string; event?: string }) =>
      replayWebhook(opened, id, given({ since, event })),
    tell: ({ behind }) => `${counted(behind, 'event')} queued again; those of its types are delivered.`,
  });
}

function deliveriesCommand(cli: Cli): Command {
  const made = command(
    'deliveries',
    'List the latest deliveries to a webhook, the newest first.',
    `carillon webhook deliveries ${exampleId} --failed`,
  )
    .argument(...idArgument)
    .option('--failed', 'only those that were not taken');
  return listing(cli, made, {
    read: ({ ledger }, page, id: string, { failed }: { failed?: true }) =>
      listDeliveries(ledger, id, { ...page, ...(failed && { delivered: 'false' }) }),
    none: 'Nothing was delivered yet.',
    columns: {
      AT: ({ at }) => timeText(at),
      END: ({ delivered }) => (delivered ? 'delivered' : 'failed'),
      TYPE: ({ type }) => type,
      EVENT: ({ event }) => event,
      TRY: (each) => each.try,
      STATUS: ({ status }) => status,
      TOOK: ({ ms }) => `${ms} ms`,
      WHY: ({ error }) => error,
    },
  });
}

function removeCommand(cli: Cli): Command {
  const made = command(
    'remove',
    'Remove a webhook. Events that wait for it are forgotten.',
    `carillon webhook remove ${exampleId}`,
  ).argument(...idArgument);
  return onLedger(cli, made, {
    find: (opened, id: string) => removeWebhook(opened, id),
    tell: ({ id }) => `The webhook ${id} is removed.`,
  });
}
