// HubSpot: calls its contacts with `carillon_call` = true, and logs each call on its contact.
//
//   node examples/crm/hubspot.mjs people deals
//   node examples/crm/hubspot.mjs results
//
// HUBSPOT_TOKEN is the token of a private app that may read contacts and write calls. Two properties are needed: on
// contacts the checkbox `carillon_call`, on calls the text `carillon_id`, which must be unique.
import { ask } from './ask.mjs';
import { main } from './main.mjs';

const { HUBSPOT_URL = 'https://api.hubapi.com', HUBSPOT_TOKEN } = process.env;
const hubspot = (method, path, body) =>
  ask(`${HUBSPOT_URL}/crm/objects/2026-03/${path}`, {
    method,
    headers: { authorization: `Bearer ${HUBSPOT_TOKEN}` },
    body,
  });

async function* people() {
  for (let after; ; ) {
    const page = await hubspot('POST', 'contacts/search', {
      filterGroups: [{ filters: [{ propertyName: 'carillon_call', operator: 'EQ', value: 'true' }] }],
      properties: ['firstname', 'lastname', 'phone'],
      limit: 100,
      after,
    });
    for (const { id, properties } of page.results) {
      const { firstname, lastname, phone } = properties;
      yield { phone: phone ?? '', name: [firstname, lastname].filter(Boolean).join(' '), hubspot: id };
    }
    after = page.paging?.next?.after;
    if (!after) return;
  }
}

const statuses = {
  busy: 'BUSY',
  'no-answer': 'NO_ANSWER',
  canceled: 'CANCELED',
  failed: 'FAILED',
  dropped: 'FAILED',
};
/** HubSpot's own number of "a call's contact". */
const callToContact = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 194 };

async function result(data, at) {
  const answer = await hubspot('POST', 'calls/batch/upsert', {
    inputs: [
      {
        idProperty: 'carillon_id',
        id: data.id,
        properties: {
          carillon_id: data.id,
          hs_timestamp: data.started_at ?? at,
          hs_call_title: `${data.campaign}: ${data.outcome ?? data.state}`,
          hs_call_body: data.transcript ?? '',
          hs_call_direction: 'OUTBOUND',
          hs_call_status: statuses[data.outcome] ?? 'COMPLETED',
          hs_call_duration: String(Math.round((data.duration ?? 0) * 1_000)),
          hs_call_to_number: data.phone,
        },
      },
    ],
  });
  // 207: of several, some failed. Here it is one.
  const [call] = answer.results;
  if (!call) throw new Error(`HubSpot did not take it: ${answer.errors?.[0]?.message}`);
  const contact = data.input.hubspot;
  if (contact) await hubspot('PUT', `calls/${call.id}/associations/contacts/${contact}`, [callToContact]);
  return `is the call ${call.id}`;
}

await main({ people, result });
