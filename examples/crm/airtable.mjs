// Airtable: calls the people of a table whose checkbox `Call` is set, and writes a row for each call.
//
//   node examples/crm/airtable.mjs people deals
//   node examples/crm/airtable.mjs results
//
// AIRTABLE_TOKEN may read and write records of the base AIRTABLE_BASE. The table People has Name, Phone and Call; the table
// Calls has the texts `Carillon id`, Phone, Outcome and Transcript, the number Seconds, and Person, a link to People.
import { ask } from './ask.mjs';
import { main } from './main.mjs';

const { AIRTABLE_URL = 'https://api.airtable.com', AIRTABLE_BASE, AIRTABLE_TOKEN } = process.env;
const airtable = (method, path, body) =>
  ask(`${AIRTABLE_URL}/v0/${AIRTABLE_BASE}/${path}`, {
    method,
    headers: { authorization: `Bearer ${AIRTABLE_TOKEN}` },
    body,
  });

async function* people() {
  for (let offset = ''; ; ) {
    const query = new URLSearchParams({
      filterByFormula: '{Call}',
      pageSize: '100',
      ...(offset ? { offset } : {}),
    });
    const page = await airtable('GET', `People?${query}`);
    for (const { id, fields } of page.records)
      yield { phone: fields.Phone ?? '', name: fields.Name, airtable: id };
    offset = page.offset;
    if (!offset) return;
  }
}

async function result(data) {
  const fields = {
    'Carillon id': data.id,
    Phone: data.phone,
    Outcome: data.outcome ?? data.state,
    Seconds: Math.round(data.duration ?? 0),
    Transcript: data.transcript ?? '',
    ...(data.input.airtable ? { Person: [data.input.airtable] } : {}),
  };
  // The same id again updates the same row.
  const answer = await airtable('PATCH', 'Calls', {
    performUpsert: { fieldsToMergeOn: ['Carillon id'] },
    records: [{ fields }],
  });
  const [made] = answer.createdRecords;
  return made ? `is the row ${made}` : 'was there, and is up to date';
}

await main({ people, result });
