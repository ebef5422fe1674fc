import { type ReactNode, useMemo, useState } from 'react';
import type { Delivery, Webhook } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { useParams } from '../../kit/router.tsx';
import { type Column, DataTable, left, right } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { useOpens } from '../../shell/opens.tsx';
import { campaign, who } from '../../shell/person-columns.tsx';
import { AddWebhook } from './acts.tsx';
import { beat, eventText, OneWebhook } from './state.tsx';

/** The addresses that are told what happens, each with its state; of one of them, what came of the latest deliveries too. */
export function WebhooksPage() {
  const { id } = useParams();
  const webhooks = useAsk('GET /api/webhooks', {}, beat);
  const [add, dialog] = useOpens({ words: 'Add a webhook', may: 'admin', kind: 'main' }, (close) => (
    <AddWebhook onClose={close} />
  ));
  const items = webhooks.data?.items.filter((each) => !id || each.id === id).sort(illFirst);
  const [chosen, choose] = useState<string>();
  return (
    <>
      {id ? (
        <PageHead title="Webhook" up={{ to: '/webhooks', label: 'Webhooks' }} />
      ) : (
        <PageHead title="Webhooks" acts={items?.length !== 0 && add} />
      )}
      {dialog}
      <Read of={{ ...webhooks, data: items }}>
        {(shown) =>
          shown.length > 0 ? (
            <>
              <Whole of={shown} />
              <ul className="mb-6 divide-y divide-line border-y border-line">
                {shown.map((webhook) => (
                  <OneWebhook key={webhook.id} of={webhook} />
                ))}
              </ul>
              {shown.some(({ delivered, failed }) => delivered + failed > 0) && (
                <Deliveries of={shown.find((each) => each.id === chosen) ?? shown[0]!}>
                  {shown.length > 1 && (
                    <Chips label="Of which webhook">
                      {shown.map((each) => (
                        <Chip
                          key={each.id}
                          on={each.id === (chosen ?? shown[0]!.id)}
                          onClick={() => choose(each.id)}
                          label={placeText(each)}
                        />
                      ))}
                    </Chips>
                  )}
                </Deliveries>
              )}
            </>
          ) : id ? (
            <Empty title="This webhook does not exist">It may have been removed.</Empty>
          ) : (
            <Empty title="No webhook yet" act={add} command="carillon webhook add https://example.com/hook">
              A webhook is an address of yours that Carillon calls when something happens, such as when a call
              has its result. Each event is signed, and sent again until your address takes it. <Guide />
            </Empty>
          )
        }
      </Read>
    </>
  );
}

const Guide = () => (
  <a href="/docs/guides/events.md" className="link whitespace-nowrap">
    What arrives, and how to answer
  </a>
);

const placeText = ({ url }: Webhook) => url.replace(/^https?:\/\//, '');

/** Those that miss their events stand first. */
const illFirst = (a: Webhook, b: Webhook) => Number(a.state === 'active') - Number(b.state === 'active');

/** Whether events arrive, and what becomes of those that do not. */
function Whole({ of: items }: { of: readonly Webhook[] }) {
  const ill = items.filter(({ state }) => state !== 'active');
  const isTried = items.some(({ delivered }) => delivered > 0);
  const worked = `${counted(items.length, 'webhook works', 'webhooks work')}: events arrive.`;
  if (ill.length === 0)
    return (
      <Glance
        level={!isTried ? 'untried' : items.some(({ held }) => held > 0) ? 'watch' : 'fine'}
        title={isTried ? worked : 'nothing was sent.'}
      >
        {isTried ? 'An event is sent until it is taken. ' : 'Send a test to see whether an event arrives. '}
        <Guide />
      </Glance>
    );
  const who = ill.length === 1 ? placeText(ill[0]!) : counted(ill.length, 'webhook');
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

const Answered = ({ of: { delivered, status } }: { of: Delivery }) => (
  <Badge
    state={delivered ? 'done' : 'failed'}
    label={status === null ? 'not reached' : `${delivered ? 'delivered' : 'failed'}, ${status}`}
  />
);

/** Why it fails now is told above, and not in each row. */
const columnsFor = (reason: string | null): readonly Column<Delivery>[] => [
  left('at', 'At', ({ at }) => <Time at={at} seconds />, { from: 'sm' }),
  left('type', 'Event', ({ type, event }) => <span title={`${type}, ${event}`}>{eventText(type)}</span>, {
    main: true,
  }),
  left('who', 'Who', ({ recipient: id, ...of }) => id && who.cell({ id, ...of })),
  campaign,
  left('taken', 'Answer', (row) => <Answered of={row} />, { from: 'sm' }),
  left('error', 'Why not', ({ error }) => error, {
    from: 'sm',
    has: ({ error }) => error !== null && error !== reason,
  }),
  right('try', 'Try', (row) => count(row.try), { has: (row) => row.try > 1 }),
  right('ms', 'Took', ({ ms }) => `${count(ms)} ms`),
];

/** The latest deliveries of a webhook, each with what the receiver answered. */
function Deliveries({ of, children }: { of: Webhook; children: ReactNode }) {
  const { id, reason, delivered: taken, failed } = of;
  const columns = useMemo(() => columnsFor(reason), [reason]);
  const [delivered, setDelivered] = useState<'false'>();
  const place = { params: { id }, query: { limit: 20, delivered } };
  const list = usePages('GET /api/webhooks/{id}/deliveries', place, beat);
  return (
    <Section id="deliveries" title="Latest deliveries">
      <div className="flex flex-wrap justify-between gap-x-4">
        {children}
        <Chips label="What came of them">
          <Chip on={!delivered} onClick={() => setDelivered(undefined)} label="All" n={taken + failed} />
          <Chip on={delivered === 'false'} onClick={() => setDelivered('false')} label="Failed" n={failed} />
        </Chips>
      </div>
      <Listing list={list} empty={<p className="text-quiet">None of them was sent lately.</p>}>
        {(rows) => (
          <DataTable
            label="Deliveries"
            rows={rows}
            columns={columns}
            keyOf={({ event, try: nth, at }) => `${event} ${nth} ${at}`}
          />
        )}
      </Listing>
    </Section>
  );
}
