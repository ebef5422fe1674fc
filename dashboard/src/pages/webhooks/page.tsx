import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Webhook } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Empty, Read } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable, right } from '../../kit/table/data-table.tsx';
import { count } from '../../kit/words.ts';
import { useOpens } from '../../shell/opens.tsx';
import { TestWebhook } from './acts.tsx';
import { AddWebhook } from './add.tsx';
import { EventList, EventNames, Sample } from './events.tsx';
import { beat, LastTries, StateBadge, WebhookState, WebhooksGlance } from './state.tsx';

/** The addresses that are told what happens, each with its state. */
export function WebhooksPage() {
  const webhooks = useAsk('GET /api/webhooks', {}, beat);
  const [add, dialog] = useOpens({ words: 'Add a webhook', may: 'admin', kind: 'main' }, (close) => (
    <AddWebhook onClose={close} />
  ));
  return (
    <>
      <PageHead title="Webhooks" acts={webhooks.data?.items.length !== 0 && add} />
      {dialog}
      <Read of={webhooks}>
        {({ items }) => (items.length === 0 ? <None act={add} /> : <Listed of={items} />)}
      </Read>
    </>
  );
}

const None = ({ act }: { act: ReactNode }) => (
  <Below>
    <Empty title="No webhook yet" act={act} command="carillon webhook add https://example.com/hook">
      A webhook is an address of yours that Carillon calls when something happens, such as when a call has its
      result. What your address does not take is sent again.
    </Empty>
  </Below>
);

/** What arrives, and of what one can be told. */
function Below({ children }: { children?: ReactNode }) {
  return (
    <div className="mt-3 grid grid-cols-1 items-start gap-x-10 xl:grid-cols-2">
      <div>
        {children}
        <Sample />
      </div>
      <EventList />
    </div>
  );
}

/** Those that miss their events stand first. */
const illFirst = (a: Webhook, b: Webhook) => Number(a.state === 'active') - Number(b.state === 'active');

function Listed({ of: items }: { of: readonly Webhook[] }) {
  return (
    <>
      <WebhooksGlance of={items} />
      <DataTable label="Webhooks" rows={[...items].sort(illFirst)} columns={columns} keyOf={({ id }) => id} />
      <Below />
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
  right('delivered', 'Delivered', ({ delivered }) => figure(delivered)),
  right('failed', 'Failed', ({ failed }) => figure(failed)),
  right('behind', 'Pending', ({ behind, held }) => figure(behind + held)),
  right('test', '', ({ id }) => <TestWebhook id={id} />),
];
