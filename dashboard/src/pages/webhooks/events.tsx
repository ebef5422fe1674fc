import { Fragment } from 'react';
import { eventTypes } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';

/** Events by the names that the API and the command line take; what happens then stands in the title. */
export function EventNames({ of: types }: { of: readonly string[] | null }) {
  if (types === null) return 'all events';
  return types.map((type) => (
    <code key={type} title={meanings[type]} className="mr-2 font-mono text-xs">
      {type}
    </code>
  ));
}

/** One delivery, as a receiver sees it. */
const sample = `POST /hook
webhook-id: evt_019ab3c4d5e6000000001f40
webhook-timestamp: 1764600245
webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=

{"id": "evt_019ab3c4d5e6000000001f40", "type": "recipient.done",
 "at": "2025-12-01T15:04:05.000Z",
 "data": {"id": "1017", "campaign": "spring", "phone": "+14155550123",
          "state": "done", "outcome": "answered", ...}}`;

/** What happens when each is sent. */
const meanings: Readonly<Record<string, string>> = {
  'attempt.placed': 'the service has a call',
  'attempt.done': 'a call has ended',
  'attempt.unknown': 'nobody can say whether a call took place',
  'attempt.updated': 'the service told more of a call that had ended',
  'recipient.done': 'a person has a result, and no call follows',
  'recipient.skipped': 'a person was taken off a list before a call',
  'recipient.rejected': 'the service refused the data of a person',
  'recipient.opted_out': 'a person asked for no more calls',
  'campaign.started': 'a campaign begins to call',
  'campaign.paused': 'a campaign is paused, by a person or by itself',
  'campaign.resumed': 'a campaign goes on',
  'campaign.canceled': 'a campaign was canceled for good',
  'campaign.done': 'a campaign is over',
  'bulk.done': 'an act on many people has ended',
  'key.denied': 'the service does not accept a key',
  'key.failing': 'the service fails on a key',
  'key.out_of_credit': 'a key has no credit',
  'key.open': 'a key makes calls again',
  'number.resting': 'a caller number rests',
  'number.returned': 'a caller number is used again',
  'import.done': 'a list was read, well or not',
  'alert.raised': 'something needs a person',
  'alert.cleared': 'what needed a person is over',
};

/** Of what a webhook can be told. */
export function EventList() {
  return (
    <Section id="events" title="Events" note="all of them, or those that you choose">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1 text-sm">
        {eventTypes.map((type) => (
          <Fragment key={type}>
            <dt className="font-mono text-xs leading-5">{type}</dt>
            <dd className="text-quiet">{meanings[type]}</dd>
          </Fragment>
        ))}
      </dl>
    </Section>
  );
}

export function Sample() {
  return (
    <Section id="sample" title="What arrives" note="a call has its result">
      <pre className="overflow-x-auto rounded-md bg-sunken p-3 font-mono text-xs">{sample}</pre>
      <p className="mt-2 text-quiet">
        Each is signed with a secret that is shown once, when the webhook is added, in the way of Standard
        Webhooks. Answer 200 to 299 within 15 seconds.{' '}
        <a href="/docs/guides/events.md" className="link">
          How to check and answer
        </a>
      </p>
    </Section>
  );
}
