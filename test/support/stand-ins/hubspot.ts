import { faultOf, type StandInAnswer, type StandInAsked, startStandIn } from './service.ts';

/** HubSpot's CRM API of 2026-03: search of contacts, batch upsert of calls by a unique property, associations. */
export type HubspotContact = { id: string; properties: Record<string, string | null> };

const token = 'pat-na1-secret';
const root = '/crm/objects/2026-03/';
const known = new Set([
  'carillon_id',
  'hs_timestamp',
  'hs_call_title',
  'hs_call_body',
  'hs_call_direction',
  'hs_call_status',
  'hs_call_duration',
  'hs_call_to_number',
]);
const statuses = [
  'BUSY',
  'CALLING_CRM_USER',
  'CANCELED',
  'COMPLETED',
  'CONNECTING',
  'FAILED',
  'IN_PROGRESS',
  'NO_ANSWER',
  'QUEUED',
  'RINGING',
];

export async function startHubspot(contacts: readonly HubspotContact[]) {
  const calls = new Map<string, { id: string; properties: Record<string, string>; contacts: string[] }>();
  const wrong = (message: string): StandInAnswer => ({
    status: 400,
    body: { status: 'error', category: 'VALIDATION_ERROR', message },
  });

  const search = ({ body }: StandInAsked): StandInAnswer => {
    const [filter] = body.filterGroups[0].filters;
    const fault = faultOf({
      'limit is at most 200': body.limit <= 200,
      'the operator is known': filter.operator === 'EQ',
      'properties are named': Array.isArray(body.properties),
      'after is text': body.after === undefined || typeof body.after === 'string',
    });
    if (fault) return wrong(fault);
    const found = contacts.filter(({ properties }) => properties[filter.propertyName] === filter.value);
    const from = Number(body.after ?? 0);
    // Small pages, so that there is more than one.
    const results = found.slice(from, from + 2);
    const next = from + 2 < found.length ? { paging: { next: { after: String(from + 2) } } } : {};
    return { status: 200, body: { total: found.length, results, ...next } };
  };

  const upsert = ({ body }: StandInAsked): StandInAnswer => {
    const results = [];
    for (const { id, idProperty, properties } of body.inputs) {
      const unknown = Object.keys(properties).find((name) => !known.has(name));
      const fault = faultOf({
        'idProperty is a unique property': idProperty === 'carillon_id',
        'id is text': typeof id === 'string' && id !== '',
        [`Property "${unknown}" does not exist`]: unknown === undefined,
        'every value is text': Object.values(properties).every((value) => typeof value === 'string'),
        'hs_timestamp is a time': !Number.isNaN(Date.parse(properties.hs_timestamp)),
        'hs_call_status is one of its values': statuses.includes(properties.hs_call_status),
        'hs_call_duration is in milliseconds': /^\d+$/.test(properties.hs_call_duration),
      });
      if (fault) return wrong(fault);
      const isNew = !calls.has(id);
      const call = calls.get(id) ?? { id: String(9_000 + calls.size), properties: {}, contacts: [] };
      Object.assign(call.properties, properties);
      calls.set(id, call);
      results.push({ id: call.id, new: isNew, properties: call.properties });
    }
    return { status: 200, body: { status: 'COMPLETE', results } };
  };

  const associate = ({ path, body }: StandInAsked): StandInAnswer => {
    const [, id, contact] = /calls\/(\d+)\/associations\/contacts\/(\d+)$/.exec(path) ?? [];
    const call = [...calls.values()].find((each) => each.id === id);
    const fault = faultOf({
      'the call exists': call !== undefined,
      'the contact exists': contacts.some((each) => each.id === contact),
      'the type is that of a call’s contact':
        body?.[0]?.associationTypeId === 194 && body[0].associationCategory === 'HUBSPOT_DEFINED',
    });
    if (fault) return wrong(fault);
    call!.contacts = [...new Set([...call!.contacts, contact!])];
    return { status: 200, body: { fromObjectId: id, toObjectId: contact, labels: [] } };
  };

  const server = await startStandIn((asked) => {
    if (asked.headers.get('authorization') !== `Bearer ${token}`)
      return { status: 401, body: { category: 'INVALID_AUTHENTICATION' } };
    const what = `${asked.method} ${asked.path.replace(root, '')}`;
    if (what === 'POST contacts/search') return search(asked);
    if (what === 'POST calls/batch/upsert') return upsert(asked);
    if (/^PUT calls\/\d+\/associations\/contacts\/\d+$/.test(what)) return associate(asked);
    return { status: 404, body: { message: what } };
  });
  return { ...server, calls, env: { HUBSPOT_URL: server.url, HUBSPOT_TOKEN: token } };
}
