import { eventTypes } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';

/** The events in words; the name that the API has for each stands in the title. */
const nouns: Readonly<Record<string, string>> = {
  attempt: 'call',
  recipient: 'person',
  bulk: 'act on many people',
};

export function eventWords(type: string): string {
  const [noun = '', ...what] = type.split('.');
  return [nouns[noun] ?? noun, ...what].join(' ').replaceAll('_', ' ');
}

export function EventNames({ of: types }: { of: readonly string[] | null }) {
  if (types === null) return 'all events';
  return <span title={types.join(', ')}>{types.map(eventWords).join(', ')}</span>;
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

/** For one who has no webhook yet: of what one can be told, and what then arrives. */
export function WhatArrives() {
  const kinds = [...new Set(eventTypes.map((type) => type.split('.')[0]!))];
  return (
    <div className="grid gap-x-10 lg:grid-cols-2">
      <Section id="events" title="Events" note="all of them, or those that you choose">
        <Facts>
          {kinds.map((kind) => (
            <Fact key={kind} name={nouns[kind] ?? kind}>
              <code className="text-xs">
                {eventTypes.filter((type) => type.startsWith(`${kind}.`)).join(' ')}
              </code>
            </Fact>
          ))}
        </Facts>
      </Section>
      <Section id="sample" title="What arrives" note="a call has its result">
        <pre className="overflow-x-auto rounded-md bg-sunken p-3 font-mono text-xs">{sample}</pre>
        <p className="mt-2 text-quiet">
          Each is signed as Standard Webhooks describe, with a secret that is shown once, when the webhook is
          added. Answer 200 to 299 within 15 seconds.{' '}
          <a href="/docs/guides/events.md" className="link">
            How to check and answer
          </a>
        </p>
      </Section>
    </div>
  );
}
