import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The actor for whom something is done. It travels with the call itself, so a verb that changes something records it
 * without taking a parameter.
 */

/** Each may do what those before it may. */
export const roles = ['read', 'read_people', 'operate', 'admin'] as const;
export type Role = (typeof roles)[number];

export type Actor = {
  /**
   * A token's name, or the address by which a provider knows a person; `API_TOKEN`, `API_READ_TOKEN`, `loopback` or
   * `cli`; `carillon` for what a process does by itself.
   */
  name: string;
  /** The name of the person behind it, if known. */
  person: string | null;
  role: Role;
  /** The origin of the request: an IP address, or user@host of a command. */
  address: string | null;
  /** The id of a named token. */
  token: string | null;
  /** The tool of an assistant that acts for the actor. */
  tool?: string;
};

/** Actor names that no named token has. */
export const reservedNames = ['API_TOKEN', 'API_READ_TOKEN', 'loopback', 'cli', 'carillon'] as const;

const itself: Actor = { name: 'carillon', person: null, role: 'admin', address: null, token: null };
const storage = new AsyncLocalStorage<Actor>();
let owner = itself;

/** Runs `work`, and everything that it begins, for this actor; null is the process itself. */
export function actAs<T>(actor: Actor | null, work: () => T): T {
  const next = actor ?? itself;
  return next === currentActor() ? work() : storage.run(next, work);
}

/**
 * Sets the actor for everything that a command does; null is the process itself. `actAs` is not used for it: on older
 * versions of Node it makes every promise of a process cost more, and a command places thousands of calls.
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
