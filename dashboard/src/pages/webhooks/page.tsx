import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../../api/description.ts';
import { useAsk } from '../../api/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Command } from '../../kit/copy.tsx';
import { Empty, Loading, Trouble } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { count } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { TestWebhook } from './acts.tsx';
import { AddWebhook } from './add.tsx';
import { beat } from './beat.ts';
import { WebhookState } from './state.tsx';

/** The addresses that are told what happens, each with its state. */
export function WebhooksPage() {
  const webhooks = useAsk('GET /api/webhooks', {}, beat);
  const mayAdd = useMay('admin');
  const [adding, setAdding] = useState(false);
  const items = webhooks.data?.items;
  return (
    <>
      <PageHead
        title="Webhooks"
        acts={
          mayAdd && (
            <Button kind="main" onClick={() => setAdding(true)}>
              Add a webhook
            </Button>
          )
        }
      >
        Addresses of your own that are told what happens, signed, each event until it is taken.
      </PageHead>
      {webhooks.error && !items && <Trouble problem={webhooks.error} retry={() => void webhooks.refetch()} />}
      {webhooks.isPending && <Loading />}
      {items?.length === 0 && (
        <Empty title="There are no webhooks yet">
          <p>
            Add an address, and it is told of each event from then on: results, campaigns that end, alerts.
          </p>
          <Command>carillon webhook add https://example.com/hook</Command>
        </Empty>
      )}
      {items && items.length > 0 && (
        <ul aria-label="Webhooks" className="space-y-3">
          {items.map((webhook) => (
            <WebhookLine key={webhook.id} of={webhook} />
          ))}
        </ul>
      )}
      {adding && <AddWebhook onClose={() => setAdding(false)} />}
    </>
  );
}

function WebhookLine({ of: webhook }: { of: Webhook }) {
  const { id, url, events, state, delivered, failed, behind } = webhook;
  return (
    <li className="border-t border-line py-3">
      <div className="grid gap-x-6 gap-y-2 md:grid-cols-[minmax(0,1fr)_auto]">
        <div className="min-w-0">
          <Link to="/webhooks/$id" params={{ id }} className="link font-medium break-all">
            {url}
          </Link>
          <p className="text-sm text-quiet">{events === null ? 'all events' : events.join(', ')}</p>
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
          <p>
            {count(delivered)} <span className="text-quiet">delivered,</span> {count(failed)}{' '}
            <span className="text-quiet">tries in vain,</span> {count(behind)}{' '}
            <span className="text-quiet">behind</span>
          </p>
          {state !== 'active' && <TestWebhook id={id} kind="plain" />}
        </div>
      </div>
      <div className="mt-2">
        <WebhookState of={webhook} />
      </div>
    </li>
  );
}
