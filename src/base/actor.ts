import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The one who asks for what is being done. It is handed down with the call itself, so that a verb that changes
 * something can record it without a parameter for it.
 */

/** Each may do what those before it may. */
export const roles = ['read', 'read_people', 'operate', 'admin'] as const;
export type Role = (typeof roles)[number];

export type Actor = {
  /**
   * A token's name, or the address by which a provider knows a person; `API_TOKEN`, `API_READ_TOKEN`, `loopback` or `cli`;
   * `carillon` for what a process does by itself.
   */
  name: string;
  /** The name of the person behind it, where it is known. */
  person: string | null;
  role: Role;
  /** Where the request came from: an IP address, or user@host of a command. */
  address: string | null;
  /** The id of a named token. */
  token: string | null;
};

/** These stand for what is not a named token. */
export const reservedNames = ['API_TOKEN', 'API_READ_TOKEN', 'loopback', 'cli', 'carillon'] as const;

const itself: Actor = { name: 'carillon', person: null, role: 'admin', address: null, token: null };
const storage = new AsyncLocalStorage<Actor>();
let owner = itself;

/** Everything that `work` begins is done for this actor, however much later; null is the process itself. */
export function actAs<T>(actor: Actor | null, work: () => T): T {
  const next = actor ?? itself;
  return next === currentActor() ? work() : storage.run(next, work);
}

/**
 * The actor for whom a command does all that it does; null is the process itself. Apart from `actAs`, which makes every
 * promise of a process cost more on older versions of Node, and a command places thousands of calls.
 */
export function actFor(actor: Actor | null): void {
  owner = actor ?? itself;
}

export function currentActor(): Actor {
  return storage.getStore() ?? owner;
}

export function isEnough(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
