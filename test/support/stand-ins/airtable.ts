import { faultOf, type StandInAnswer, type StandInAsked, startStandIn } from './service.ts';

/** Airtable's Web API: records in pages with an offset, and upsert of up to ten by the fields to merge on. */
export type AirtablePerson = { id: string; fields: Record<string, unknown> };

const token = 'patAbc.secret';
const base = 'appABCDEFGHIJKLMN';
const texts = ['Carillon id', 'Phone', 'Outcome', 'Transcript'];

export async function startAirtable(people: readonly AirtablePerson[]) {
  const rows = new Map<string, { id: string; fields: Record<string, unknown> }>();
  const wrong = (type: string, message: string): StandInAnswer => ({
    status: 422,
    body: { error: { type, message } },
  });

  const list = ({ query }: StandInAsked): StandInAnswer => {
    const fault = faultOf({
      'pageSize is at most 100': Number(query.get('pageSize')) <= 100,
      'the formula is known': query.get('filterByFormula') === '{Call}',
    });
    if (fault) return wrong('INVALID_FILTER_BY_FORMULA', fault);
    const found = people.filter(({ fields }) => fields.Call === true);
    const from = Number(query.get('offset')?.split('/')[1] ?? 0);
    const offset = from + 2 < found.length ? { offset: `itr/${from + 2}` } : {};
    return { status: 200, body: { records: found.slice(from, from + 2), ...offset } };
  };

  const upsert = ({ body }: StandInAsked): StandInAnswer => {
    const fault = faultOf({
      'one to ten records': body.records.length >= 1 && body.records.length <= 10,
      'merged on one to three fields': body.performUpsert?.fieldsToMergeOn?.join() === 'Carillon id',
    });
    if (fault) return wrong('INVALID_REQUEST_UNKNOWN', fault);
    const createdRecords: string[] = [];
    const updatedRecords: string[] = [];
    const records = [];
    for (const { fields } of body.records) {
      const { Person: person = [], Seconds: seconds, ...rest } = fields;
      const unknown = Object.keys(rest).find((name) => !texts.includes(name));
      if (unknown) return wrong('UNKNOWN_FIELD_NAME', `Unknown field name: "${unknown}"`);
      if (!Object.values(rest).every((value) => typeof value === 'string') || !Number.isInteger(seconds))
        return wrong('INVALID_VALUE_FOR_COLUMN', JSON.stringify(fields));
      if (!person.every((id: string) => people.some((each) => each.id === id)))
        return wrong('ROW_DOES_NOT_EXIST', JSON.stringify(person));
      const key = String(rest['Carillon id']);
      const known = rows.get(key);
      const row = {
        id: known?.id ?? `rec${String(rows.size).padStart(14, '0')}`,
        fields: { ...known?.fields, ...fields },
      };
      rows.set(key, row);
      (known ? updatedRecords : createdRecords).push(row.id);
      records.push({ ...row, createdTime: '2026-03-02T10:00:00.000Z' });
    }
    return { status: 200, body: { records, createdRecords, updatedRecords } };
  };

  const server = await startStandIn((asked) => {
    if (asked.headers.get('authorization') !== `Bearer ${token}`)
      return { status: 401, body: { error: { type: 'AUTHENTICATION_REQUIRED' } } };
    const what = `${asked.method} ${asked.path}`;
    if (what === `GET /v0/${base}/People`) return list(asked);
    if (what === `PATCH /v0/${base}/Calls`) return upsert(asked);
    return { status: 404, body: { error: 'NOT_FOUND' } };
  });
  return { ...server, rows, env: { AIRTABLE_URL: server.url, AIRTABLE_BASE: base, AIRTABLE_TOKEN: token } };
}
