import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Webhook } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Empty, Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { count, counted } from '../../kit/words.ts';
import { useOpens } from '../../shell/opens.tsx';
import { AddWebhook } from './acts.tsx';
import { Deliveries } from './deliveries.tsx';
import { EventList, Sample } from './events.tsx';
import { beat, OneWebhook } from './state.tsx';

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
        {({ items }) =>
          items.length === 0 ? (
            <Reference>
              <Empty title="No webhook yet" act={add} command="carillon webhook add https://example.com/hook">
                A webhook is an address of yours that Carillon calls when something happens, such as when a
                call has its result. What your address does not take is sent again.
              </Empty>
            </Reference>
          ) : (
            <>
              <Whole of={items} />
              <List of={items} />
              {items.length === 1 && <Deliveries id={items[0]!.id} />}
              <details>
                <summary className="link w-max text-sm text-quiet">
                  What arrives, and of what it can tell
                </summary>
                <Reference />
              </details>
            </>
          )
        }
      </Read>
    </>
  );
}

/** Those that miss their events stand first. */
const illFirst = (a: Webhook, b: Webhook) => Number(a.state === 'active') - Number(b.state === 'active');

const List = ({ of: items }: { of: readonly Webhook[] }) => (
  <ul className="mb-6 divide-y divide-line border-y border-line">
    {[...items].sort(illFirst).map((webhook) => (
      <OneWebhook key={webhook.id} of={webhook} />
    ))}
  </ul>
);

/** What arrives, and of what one can be told. */
const Reference = ({ children }: { children?: ReactNode }) => (
  <div className="mt-3 grid grid-cols-1 items-start gap-x-10 xl:grid-cols-2">
    <div>
      {children}
      <Sample />
    </div>
    <EventList />
  </div>
);

/** Whether events arrive, and what becomes of those that do not. */
function Whole({ of: items }: { of: readonly Webhook[] }) {
  const ill = items.filter(({ state }) => state !== 'active');
  const isTried = items.some(({ delivered }) => delivered > 0);
  const worked =
    items.length === 1
      ? 'The webhook works: its events arrive.'
      : `All ${count(items.length)} webhooks work: their events arrive.`;
  if (ill.length === 0)
    return (
      <Glance
        level={!isTried ? 'untried' : items.some(({ held }) => held > 0) ? 'watch' : 'fine'}
        title={isTried ? worked : 'nothing was sent.'}
      >
        {isTried ? 'An event is sent until it is taken.' : 'Send a test to see whether an event arrives.'}
      </Glance>
    );
  const who = ill.length === 1 ? new URL(ill[0]!.url).host : counted(ill.length, 'webhook');
  const waits = ill.reduce((sum, { behind, held }) => sum + behind + held, 0);
  return (
    <Glance
      // One that fails is asked again by itself; one that rests waits for a person.
      level={ill.some(({ state }) => state === 'resting') ? 'act' : 'watch'}
      title={`${who} ${ill.length === 1 ? 'does not get its events' : 'do not get their events'}.`}
    >
      Nothing is lost: {waits > 0 ? `${counted(waits, 'event is', 'events are')} kept` : 'events are kept'},
      and sent when it answers.
    </Glance>
  );
}

const address = getRouteApi('/webhooks/$id');

/** One webhook: its state, its acts, and what came of the latest deliveries. */
export function WebhookPage() {
  const { id } = address.useParams();
  const webhooks = useAsk('GET /api/webhooks', {}, beat);
  const found = webhooks.data?.items.find((each) => each.id === id);
  if (!webhooks.data) return <Opening title="Webhook" of={webhooks} />;
  if (!found) {
    return (
      <Empty title="This webhook does not exist">
        It may have been removed.{' '}
        <Link to="/webhooks" className="link">
          All webhooks
        </Link>
      </Empty>
    );
  }
  return (
    <>
      <PageHead title={found.url.replace(/^https?:\/\//, '')} up={{ to: '/webhooks', label: 'Webhooks' }} />
      <Whole of={[found]} />
      <List of={[found]} />
      <Deliveries id={id} />
    </>
  );
}
