import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Delivery } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, SelectFilter } from '../../kit/filter.tsx';
import { Listing } from '../../kit/listing.tsx';
import { type Column, DataTable, left, right } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { TestWebhook } from './acts.tsx';
import { EventNames } from './events.tsx';
import { beat } from './state.tsx';

/** The latest deliveries of a webhook, each with what the receiver answered. */
const choices = [
  { value: '1', label: 'Delivered' },
  { value: '0', label: 'Failed' },
];

const columns: readonly Column<Delivery>[] = [
  left('at', 'At', ({ at }) => <Time at={at} seconds />),
  left('taken', 'Answer', ({ delivered, status }) => (
    <Badge
      state={delivered ? 'done' : 'failed'}
      label={status === null ? 'no answer' : `${delivered ? 'delivered' : 'failed'}, ${status}`}
    />
  )),
  left('type', 'Event', ({ type }) => <EventNames of={[type]} />),
  left('error', 'Why not', ({ error }) => error, { from: 'sm', has: ({ error }) => error !== null }),
  right('try', 'Try', (row) => count(row.try)),
  right('ms', 'Took', ({ ms }) => `${count(ms)} ms`),
  left(
    'event',
    'Id',
    ({ event }) => <span className="font-mono text-xs break-all text-quiet">{event}</span>,
    { from: 'xl' },
  ),
];

export function Deliveries({ id }: { id: string }) {
  const { delivered } = useSearch({ strict: false });
  const navigate = useNavigate();
  const wanted = delivered === '1' || delivered === '0' ? delivered : undefined;
  const list = usePages(
    'GET /api/webhooks/{id}/deliveries',
    { params: { id }, query: { delivered: wanted, limit: 50 } },
    beat,
  );
  return (
    <Section id="deliveries" title="Deliveries" bare>
      <Filters>
        <SelectFilter
          label="Answer"
          all="Every answer"
          value={wanted}
          choices={choices}
          onChange={(value) => void navigate({ to: '.', search: { delivered: value }, replace: true })}
        />
      </Filters>
      <Listing
        list={list}
        empty={
          <Empty title="Nothing sent yet" act={<TestWebhook id={id} />}>
            The latest 100 that were delivered, and the latest 100 that failed, are shown here.
          </Empty>
        }
      >
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
