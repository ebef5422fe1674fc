import type { Me } from './description.ts';

/** The role as which an admin looks at the page, in this tab only: acts and people are hidden, and nothing is granted. */
const stored = 'carillon-looks-as';
type Role = Me['role'];

function readRole(): Role | null {
  try {
    return sessionStorage.getItem(stored) as Role | null;
  } catch {
    return null;
  }
}
export const looksAs = readRole();

/** Begins or ends it: all that is shown is read anew. */
export function lookAs(role: Role | null): void {
  if (role) sessionStorage.setItem(stored, role);
  else sessionStorage.removeItem(stored);
  window.location.assign(role ? '/' : '/tokens');
}

const personal =
  /^(?:phones?|input|variables?|override|transcript|recording_url|structured_data|contact_id|metadata|record|exchanges)$/;
const ofPerson = /^(?:name|error|detail)$/;

/** What a role that may not see people is told, as the API tells it: null in place of a person. */
export function asSeen<Body>(body: Body, inPerson = false): Body {
  if (looksAs !== 'read') return body;
  if (Array.isArray(body)) return body.map((each) => asSeen(each, inPerson)) as Body;
  if (body === null || typeof body !== 'object') return body;
  const person = inPerson || 'phone' in body;
  const parts = Object.entries(body).map(([name, part]) => {
    const isHidden = typeof part !== 'number' && (personal.test(name) || (person && ofPerson.test(name)));
    return [name, isHidden ? null : asSeen(part, person)];
  });
  return Object.fromEntries(parts);
}
