/** The API tells the forms of a list apart by their type; anything else is read as CSV. */
const types: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export const typeOf = (name: string): string => types[name.split('.').at(-1)!.toLowerCase()] ?? 'text/csv';
