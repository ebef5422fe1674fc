import { type ReactNode, useMemo, useState } from 'react';
import type { Delivery, Webhook } from '../../api/ask.ts';
import { useAsk, usePages } from '../../data/queries.ts';
import { Badge } from '../../kit/basics.tsx';
import { Choose } from '../../kit/filter.tsx';
import { Empty, Glance, Page, Read, Section } from '../../kit/page.tsx';
import { Link, useParams } from '../../kit/router.tsx';
import { type Column, DataTable, Listing, left, right } from '../../kit/table/data-table.tsx';
import { Ago, Since, Time } from '../../kit/values.tsx';
import { classes, count, counted, sumOf } from '../../kit/words.ts';
import { useOpens } from '../../shell/opens.tsx';
import { campaign, who } from '../../shell/person-columns.tsx';
import { eventText } from '../activity/sentences.ts';
import { WebhookActs, WebhookForm } from './acts.tsx';

/**
 * When what is shown of webhooks is read again: at what they are told of, and every few seconds, as an answer comes later
 * than its event, and no event tells that a webhook rests.
 */
export const beat = { everyMs: 5_000 };

const badges = { active: 'open', failing: 'warning', resting: 'critical' };
function OneWebhook({ of: webhook }: { of: Webhook }) {
  const { id, url, events, state, reason, since, next_at: next, delivered, failed, behind, held } = webhook;
  const enabled = delivered + failed > 0;
  const latest = useAsk('GET /api/webhooks/{id}/deliveries', { id, limit: 1 }, { ...beat, enabled });
  const [last] = latest.data?.items ?? [];
  return (
    <li className="space-y-2 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        {/* One that never took an event is not shown as proved. */}
        <Badge state={state === 'active' && delivered === 0 ? 'skipped' : badges[state]} label={state} />
        <Link to="/webhooks/$id" params={{ id }} className="font-semibold break-all hover:underline">
          {url}
        </Link>
        <span className="min-w-0 flex-1 text-quiet max-sm:basis-full">
          {events?.map(eventText).join(', ') ?? 'all events'}
        </span>
        <WebhookActs of={webhook} />
      </div>
      {state !== 'active' && (
        <p className="[overflow-wrap:anywhere]">
          {state === 'failing' ? 'It has failed' : 'It rests'} <Since at={since} />
          {reason && `: ${reason}`}.{' '}
          <span className="text-quiet">
            {state === 'resting'
              ? 'Repair the receiver, then test it: when it takes the test it is told what waits. Sending again wakes it too.'
              : next && (
                  <>
                    The next try is <Ago at={next} />, with one event; an answer of 200 to 299 takes it.
                  </>
                )}
          </span>
        </p>
      )}
      <p className="flex flex-wrap gap-x-8 gap-y-1 [overflow-wrap:anywhere]">
        {state === 'active' && last && (
          <span>
            Last sent <Ago at={last.at} />: {eventText(last.type)},{' '}
            {last.delivered ? `taken in ${count(last.ms)} ms` : (last.error ?? `it answered ${last.status}`)}
          </span>
        )}
        <span>{counted(delivered, 'event')} delivered</span>
        <span>{counted(failed, 'try', 'tries')} failed</span>
        <span className={classes((state !== 'active' || held > 0) && 'font-medium text-warn')}>
          {counted(behind + held, 'event waits', 'events wait')}
        </span>
        {held > 0 && <span>{count(held)} of them wait for an earlier one about the same person</span>}
      </p>
    </li>
  );
}

/** The addresses that are told what happens, each with its state; of one of them, what came of the latest deliveries too. */
export function WebhooksPage() {
  const { id } = useParams();
  const webhooks = useAsk('GET /api/webhooks', {}, beat);
  const items = webhooks.data?.items.filter((each) => !id || each.id === id).sort(illFirst);
  // While one is ill, to add another is not the next act.
  const kind = items?.some(({ state }) => state !== 'active') ? 'plain' : 'main';
  const [add, dialog] = useOpens({ words: 'Add a webhook', may: 'admin', kind }, (close) => (
    <WebhookForm onClose={close} />
  ));
  const [chosen, choose] = useState<string>();
  return (
    <>
      {id ? (
        <Page title="Webhook" up={{ to: '/webhooks', label: 'Webhooks' }} />
      ) : (
        <Page title="Webhooks" acts={items?.length !== 0 && add} />
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
                    <Choose
                      label="Of which webhook"
                      of={shown.map((each) => [each.id, placeText(each)])}
                      value={chosen ?? shown[0]!.id}
                      onChange={choose}
                    />
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

const illFirst = (a: Webhook, b: Webhook) => Number(a.state === 'active') - Number(b.state === 'active');

function Whole({ of: items }: { of: readonly Webhook[] }) {
  const ill = items.filter(({ state }) => state !== 'active');
  const waits = sumOf(items.map(({ behind, held }) => behind + held));
  if (ill.length > 0)
    return (
      <Glance
        // One that fails is asked again by itself; one that rests waits for a person.
        level={ill.some(({ state }) => state === 'resting') ? 'act' : 'watch'}
        title={
          ill.length === 1
            ? `${placeText(ill[0]!)} does not get its events.`
            : `${counted(ill.length, 'webhook')} do not get their events.`
        }
      >
        Nothing is lost: {counted(waits, 'event is', 'events are')} kept, and sent when it answers.
      </Glance>
    );
  const isTried = items.some(({ delivered }) => delivered > 0);
  return (
    <Glance
      level={!isTried ? 'untried' : items.some(({ held }) => held > 0) ? 'watch' : 'fine'}
      title={
        isTried
          ? `${counted(items.length, 'webhook works', 'webhooks work')}: events arrive.`
          : 'nothing was sent.'
      }
    >
      {isTried ? 'An event is sent until it is taken. ' : 'Send a test to see whether an event arrives. '}
      <Guide />
    </Glance>
  );
}

/** Why it fails now is told above, and not in each row. */
const columnsFor = (reason: string | null): readonly Column<Delivery>[] => [
  left('at', 'At', { from: 'sm' }, ({ at }) => <Time at={at} seconds />),
  left('type', 'Event', { main: true }, ({ type, event }) => (
    <span title={`${type}, ${event}`}>{eventText(type)}</span>
  )),
  left('who', 'Who', ({ recipient: id, ...of }) => id && who.cell({ id, ...of })),
  campaign,
  left('taken', 'Answer', { from: 'sm' }, ({ delivered, status }) => (
    <Badge
      state={delivered ? 'done' : 'warning'}
      label={status === null ? 'not reached' : `${delivered ? 'delivered' : 'failed'}, ${status}`}
    />
  )),
  left(
    'error',
    'Why not',
    { from: 'sm', has: ({ error }) => error !== null && error !== reason },
    ({ error }) => error,
  ),
  right('try', 'Try', { has: (row) => row.try > 1 }, (row) => count(row.try)),
  right('ms', 'Took', ({ ms }) => `${count(ms)} ms`),
];

function Deliveries({ of, children }: { of: Webhook; children: ReactNode }) {
  const { id, reason, delivered: taken, failed } = of;
  const columns = useMemo(() => columnsFor(reason), [reason]);
  const [isFailed, setFailed] = useState(false);
  const place = { id, limit: 20, ...(isFailed && { delivered: 'false' as const }) };
  const list = usePages('GET /api/webhooks/{id}/deliveries', place, beat);
  return (
    <Section title="Latest deliveries">
      <div className="flex flex-wrap justify-between gap-x-4">
        {children}
        <Choose
          label="What came of them"
          of={[
            [false, 'All', taken + failed],
            [true, 'Failed', failed],
          ]}
          value={isFailed}
          onChange={setFailed}
        />
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
