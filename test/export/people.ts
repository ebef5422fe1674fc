import { type Recipient, type RecipientLine, showRecipient } from '../../src/export/recipient.ts';

/** A person whose call has ended, for tests of what is written about them. */
export function resultOf(changes: Partial<RecipientLine> = {}): Recipient {
  const line: RecipientLine = {
    id: 7,
    row: 2,
    phone: '+14155550123',
    phones: null,
    name: 'Ann',
    state: 'done',
    outcome: 'answered',
    attempts: 1,
    callId: 'c-1',
    status: 'completed',
    duration: 61.5,
    cost: 0.12,
    currency: 'EUR',
    ended_reason: 'customer-hung-up',
    startedAt: new Date('2026-01-09T10:00:00.250Z'),
    endedAt: new Date('2026-01-09T10:01:01Z'),
    transcript: 'Agent: "Hi,"\nAnn: hello',
    recording_url: 'https://example.com/r/1',
    structured_data: { ok: true, note: 'a,b' },
    provider_call_sid: 'CA1',
    direction: 'outbound',
    contact_id: 'contact-1',
    org_id: 'org-1',
    agent_id: 'agent-of-the-service',
    agent: 'agent-1',
    callKey: 'main',
    callFrom: { number: '+14155550100' },
    callbackAt: null,
    metadata: { ticket: 'A-17' },
    error: null,
    erasedAt: null,
    input: { Phone: '(415) 555-0123', City: 'Reno' },
    ...changes,
  };
  return showRecipient(line, 'march', null);
}
