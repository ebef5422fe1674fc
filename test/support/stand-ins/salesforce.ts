import { faultOf, type StandInAnswer, type StandInAsked, startStandIn } from './service.ts';

/** Salesforce's REST API: tokens by client credentials that end, queries in pages, upsert by an external id. */
export type SalesforceContact = { Id: string; Name: string; Phone: string };

const app = { id: '3MVG9.consumer', secret: 'consumer-secret' };
const root = '/services/data/v62.0';
const fields: Record<string, (value: unknown) => boolean> = {
  Subject: (value) => typeof value === 'string' && value.length <= 255,
  Status: (value) => value === 'Completed',
  TaskSubtype: (value) => value === 'Call',
  CallType: (value) => value === 'Outbound',
  CallDisposition: (value) => typeof value === 'string' && value.length <= 255,
  CallDurationInSeconds: (value) => Number.isInteger(value),
  ActivityDate: (value) => /^\d{4}-\d\d-\d\d$/.test(String(value)),
  Description: (value) => typeof value === 'string' && value.length <= 32_000,
  WhoId: (value) => /^003\w{12,15}$/.test(String(value)),
};

export async function startSalesforce(contacts: readonly SalesforceContact[]) {
  const tasks = new Map<string, Record<string, unknown>>();
  let session = 0;
  const wrong = (errorCode: string, message: string, status = 400): StandInAnswer => ({
    status,
    body: [{ errorCode, message }],
  });

  const logIn = ({ text, headers }: StandInAsked): StandInAnswer => {
    const form = new URLSearchParams(text);
    const fault = faultOf({
      'it is a form': headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') ?? false,
      'the grant is client_credentials': form.get('grant_type') === 'client_credentials',
      'the app is known': form.get('client_id') === app.id && form.get('client_secret') === app.secret,
    });
    if (fault) return { status: 400, body: { error: 'invalid_client', error_description: fault } };
    session += 1;
    return {
      status: 200,
      body: { access_token: `session-${session}`, instance_url: server.url, token_type: 'Bearer' },
    };
  };

  const query = (from: number): StandInAnswer => {
    const records = contacts
      .slice(from, from + 2)
      .map((each) => ({ attributes: { type: 'Contact' }, ...each }));
    const done = from + 2 >= contacts.length;
    const next = done ? {} : { nextRecordsUrl: `${root}/query/01gD0-${from + 2}` };
    return { status: 200, body: { totalSize: contacts.length, done, records, ...next } };
  };

  const upsert = (id: string, body: Record<string, unknown>): StandInAnswer => {
    const foreign = Object.keys(body).find((name) => !fields[name]);
    if (foreign) return wrong('INVALID_FIELD', `No such column '${foreign}' on sobject of type Task`);
    const bad = Object.keys(body).find((name) => !fields[name]!(body[name]));
    if (bad) return wrong('FIELD_INTEGRITY_EXCEPTION', `${bad}: ${JSON.stringify(body[bad])}`);
    const created = !tasks.has(id);
    tasks.set(id, { ...tasks.get(id), ...body });
    return {
      status: created ? 201 : 200,
      body: { id: `00T${id.padStart(15, '0')}`, success: true, errors: [], created },
    };
  };

  const server = await startStandIn((asked) => {
    const { method, path } = asked;
    if (method === 'POST' && path === '/services/oauth2/token') return logIn(asked);
    if (asked.headers.get('authorization') !== `Bearer session-${session}`)
      return wrong('INVALID_SESSION_ID', 'Session expired or invalid', 401);
    const soql = asked.query.get('q');
    if (method === 'GET' && path === `${root}/query`)
      return /^SELECT Id, Name, Phone FROM Contact WHERE Carillon_Call__c = true AND Phone != null$/.test(
        soql ?? '',
      )
        ? query(0)
        : wrong('MALFORMED_QUERY', soql ?? '');
    const [, from] = /\/query\/01gD0-(\d+)$/.exec(path) ?? [];
    if (method === 'GET' && from) return query(Number(from));
    const [, id] = /\/sobjects\/Task\/Carillon_Id__c\/([^/]+)$/.exec(path) ?? [];
    if (method === 'PATCH' && id) return upsert(id, asked.body);
    return wrong('NOT_FOUND', `${method} ${path}`, 404);
  });
  return {
    ...server,
    tasks,
    endSession: () => {
      session += 1;
    },
    env: { SALESFORCE_URL: server.url, SALESFORCE_CLIENT_ID: app.id, SALESFORCE_CLIENT_SECRET: app.secret },
  };
}
