// Salesforce: calls its contacts with Carillon_Call__c, and writes a completed task of the type call for each.
//
//   node examples/crm/salesforce.mjs people deals
//   node examples/crm/salesforce.mjs results
//
// SALESFORCE_URL is https://YOUR-DOMAIN.my.salesforce.com; SALESFORCE_CLIENT_ID and SALESFORCE_CLIENT_SECRET are of an app
// with the client credentials flow. Two fields are needed: the checkbox Carillon_Call__c on contacts, and on activities the
// text Carillon_Id__c, marked as unique and as an external id.
import { ask } from './ask.mjs';
import { main } from './main.mjs';

const { SALESFORCE_URL, SALESFORCE_CLIENT_ID = '', SALESFORCE_CLIENT_SECRET = '' } = process.env;
const version = 'v62.0';
let token;

async function logIn() {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: SALESFORCE_CLIENT_ID,
    client_secret: SALESFORCE_CLIENT_SECRET,
  });
  return (await ask(`${SALESFORCE_URL}/services/oauth2/token`, { method: 'POST', body })).access_token;
}

async function salesforce(method, path, body) {
  const send = () =>
    ask(`${SALESFORCE_URL}${path}`, { method, headers: { authorization: `Bearer ${token}` }, body });
  token ??= await logIn();
  try {
    return await send();
  } catch (error) {
    if (error.status !== 401) throw error;
    // The session has ended.
    token = await logIn();
    return send();
  }
}

async function* people() {
  const query = 'SELECT Id, Name, Phone FROM Contact WHERE Carillon_Call__c = true AND Phone != null';
  let path = `/services/data/${version}/query?q=${encodeURIComponent(query)}`;
  while (path) {
    const page = await salesforce('GET', path);
    for (const { Id, Name, Phone } of page.records) yield { phone: Phone, name: Name, salesforce: Id };
    path = page.done ? null : page.nextRecordsUrl;
  }
}

async function result(data, at) {
  // The same id again updates the same task.
  const answer = await salesforce(
    'PATCH',
    `/services/data/${version}/sobjects/Task/Carillon_Id__c/${encodeURIComponent(data.id)}`,
    {
      Subject: `Call: ${data.campaign}, ${data.outcome ?? data.state}`,
      Status: 'Completed',
      TaskSubtype: 'Call',
      CallType: 'Outbound',
      CallDisposition: data.outcome ?? data.state,
      CallDurationInSeconds: Math.round(data.duration ?? 0),
      ActivityDate: (data.started_at ?? at).slice(0, 10),
      Description: (data.transcript ?? '').slice(0, 32_000),
      ...(data.input.salesforce ? { WhoId: data.input.salesforce } : {}),
    },
  );
  return answer?.created ? `is the task ${answer.id}` : 'was there, and is up to date';
}

await main({ people, result });
