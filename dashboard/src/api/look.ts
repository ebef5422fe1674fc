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

/** Answers as that role is told them; few look so, and `isReady` waits for what hides people from them. */
let hide = (body: unknown) => body;
export const asSeen = <Body>(body: Body) => hide(body) as Body;
export const isReady =
  looksAs === 'read' &&
  import('./hide-people.ts').then((it) => {
    hide = it.hidePeople;
  });
