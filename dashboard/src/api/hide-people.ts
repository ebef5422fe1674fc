const personal =
  /^(?:phones?|input|variables?|override|transcript|recording_url|structured_data|contact_id|metadata|record|exchanges)$/;
const ofPerson = /^(?:name|error|detail)$/;

/** What a role that may not see people is told, as the API tells it: null in place of a person. */
export function hidePeople(body: unknown, inPerson = false): unknown {
  if (Array.isArray(body)) return body.map((each) => hidePeople(each, inPerson));
  if (body === null || typeof body !== 'object') return body;
  const person = inPerson || 'phone' in body;
  const parts = Object.entries(body).map(([name, part]) => {
    const isHidden = typeof part !== 'number' && (personal.test(name) || (person && ofPerson.test(name)));
    return [name, isHidden ? null : hidePeople(part, person)];
  });
  return Object.fromEntries(parts);
}
