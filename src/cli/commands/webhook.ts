import { listDeliveries, replayWebhook, testWebhook } from '../../control/webhooks/deliveries.ts';
import { addWebhook, listWebhooks, removeWebhook } from '../../control/webhooks/manage.ts';
import { eventTypes } from '../../ledger/events/events.ts';
import { namesIn, someOf } from '../closed-lists.ts';
import { type Cli, type Command, given, group } from '../command-io.ts';
import { counted } from '../output/summary.ts';
import { listing, onLedger } from '../reporting.ts';
import { timeCell, timeText } from '../terminal/table.ts';

/** `carillon webhook`: addresses that are told what happens. */
export function webhookCommand(cli: Cli): Command {
  return group(
    'webhook',
    'carillon webhook add https://example.com/hook --events recipient.done,campaign.done',
    [
      onLedger(cli, {
        name: 'add',
        does: 'Add an address that is told what happens from now on. Its secret is shown once.',
        example:
          'carillon webhook add https://example.com/hook\ncarillon webhook add https://example.com/hook --events recipient.done,campaign.done --json',
        takes: [
          ['<url>', 'an https:// address'],
          someOf(
            '--events <types>',
            'only events of these types, separated by commas (default: all)',
            eventTypes,
          ),
        ],
        find: async (opened, url: string, { events }: { events?: string }) =>
          (await addWebhook(opened, { url, ...(events && { events: namesIn(events) }) })).answer,
        tell({ id, secret }) {
          cli.out(secret);
          cli.note(`This secret verifies the deliveries of the webhook ${id}. It is not shown again.`);
          cli.note(`Send one event to it with \`carillon webhook test ${id}\`.`);
        },
      }),
      listing(cli, {
        name: 'list',
        does: 'List the webhooks, with their state.',
        example: 'carillon webhook list',
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
      }),
      onLedger(cli, {
        name: 'test',
        does: 'Send one event to a webhook now. If it succeeds, queued events follow.',
        example: `carillon webhook test ${exampleId}`,
        takes: [idArgument],
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
      }),
      onLedger(cli, {
        name: 'replay',
        does: 'Deliver past events to a webhook again, with the same ids, since a time or from an event on.',
        example: `carillon webhook replay ${exampleId} --since 2h\ncarillon webhook replay ${exampleId} --event evt_019ab3c4d5e6000000001f40`,
        takes: [
          idArgument,
          ['--since <time>', 'a time, a date, or a span such as 2h for so long ago'],
          ['--event <id>', 'the id of the first event'],
        ],
        find: (opened, id: string, { since, event }: { since?: string; event?: string }) =>
          replayWebhook(opened, id, given({ since, event })),
        tell: ({ behind }) => `${counted(behind, 'event')} queued again; those of its types are delivered.`,
      }),
      listing(cli, {
        name: 'deliveries',
        does: 'List the latest deliveries to a webhook, the newest first.',
        example: `carillon webhook deliveries ${exampleId} --failed`,
        takes: [idArgument, ['--failed', 'only those that were not taken']],
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
      }),
      onLedger(cli, {
        name: 'remove',
        does: 'Remove a webhook. Events that wait for it are forgotten.',
        example: `carillon webhook remove ${exampleId}`,
        takes: [idArgument],
        find: (opened, id: string) => removeWebhook(opened, id),
        tell: ({ id }) => `The webhook ${id} is removed.`,
      }),
    ],
  );
}

const exampleId = '0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55';
const idArgument = ['<id>', 'the webhook’s id'] as const;
