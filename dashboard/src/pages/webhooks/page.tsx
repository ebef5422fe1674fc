import { Link } from '@tanstack/react-router';
import type { Webhook } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Command } from '../../kit/copy.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { count } from '../../kit/words.ts';
import { Opens } from '../../shell/opens.tsx';
import { TestWebhook } from './acts.tsx';
import { AddWebhook } from './add.tsx';
import { EventNames } from './events.tsx';
import { beat, LastTries, StateBadge, WebhookState, WebhooksGlance } from './state.tsx';

/** The addresses that are told what happens, each with its state. */
export function WebhooksPage() {
  const webhooks = useAsk('GET /api/webhooks', {}, beat);
  return (
    <>
      <PageHead
        title="Webhooks"
        acts={
          <Opens words="Add a webhook" may="admin" kind="main">
            {(close) => <AddWebhook onClose={close} />}
          </Opens>
        }
      />
      <Read of={webhooks}>
        {({ items }) => (items.length === 0 ? <NoWebhooks /> : <Listed of={items} />)}
      </Read>
    </>
  );
}

function NoWebhooks() {
  return (
    <Empty title="There are no webhooks yet">
      <p>
        Carillon tells addresses of your own what happens, such as the result of each call; an event is sent
        until it is taken. Add one, and it is told of each event from then on.
      </p>
      <Command>carillon webhook add https://example.com/hook</Command>
    </Empty>
  );
}

/** Those that miss their events stand first. */
const illFirst = (a: Webhook, b: Webhook) => Number(a.state === 'active') - Number(b.state === 'active');

function Listed({ of: items }: { of: readonly Webhook[] }) {
  return (
    <>
      <WebhooksGlance of={items} />
      <DataTable label="Webhooks" rows={[...items].sort(illFirst)} columns={columns} keyOf={({ id }) => id} />
    </>
  );
}

const figure = (n: number) => <span className={n === 0 ? 'text-quiet' : 'font-semibold'}>{count(n)}</span>;

const columns: readonly Column<Webhook>[] = [
  {
    id: 'url',
    head: 'Address, and what it is told of',
    cell: (webhook) => (
      <div className="py-1.5">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <Link to="/webhooks/$id" params={{ id: webhook.id }} className="link font-medium break-all">
            {webhook.url}
          </Link>
          <StateBadge of={webhook} />
        </p>
        <p className="text-quiet">
          <EventNames of={webhook.events} />
        </p>
        <WebhookState of={webhook} />
        <LastTries of={webhook} />
      </div>
    ),
  },
  {
    id: 'delivered',
    head: 'Delivered',
    number: true,
    from: 'sm',
    cell: ({ delivered }) => figure(delivered),
  },
  { id: 'failed', head: 'Failed', number: true, from: 'sm', cell: ({ failed }) => figure(failed) },
  { id: 'behind', head: 'Pending', number: true, from: 'sm', cell: ({ behind }) => figure(behind) },
  { id: 'test', head: '', number: true, from: 'sm', cell: ({ id }) => <TestWebhook id={id} /> },
];
