/** The accepted keys. Secrets stay in this file: everywhere else a key is its index in the list. */
import type { IncomingHttpHeaders } from 'node:http';

export type KeyRing = {
  /** The key's index, or null if no key was given or it is not accepted. A revoked key keeps its index. */
  identify(headers: IncomingHttpHeaders): number | null;
  /** By index or by secret; null for an unknown key. */
  find(key: number | string): number | null;
  revoke(index: number): void;
  restore(index: number): void;
  isRevoked(index: number): boolean;
};

export function createKeyRing(accepted: 'any' | readonly string[]): KeyRing {
  const indexes = new Map<string, number>();
  const revoked = new Set<number>();
  const admit = (secret: string) => {
    const index = indexes.size;
    indexes.set(secret, index);
    return index;
  };
  if (accepted !== 'any') for (const secret of accepted) if (!indexes.has(secret)) admit(secret);
  const lookUp = (secret: string | undefined): number | null => {
    if (!secret) return null;
    return indexes.get(secret) ?? (accepted === 'any' ? admit(secret) : null);
  };
  return {
    identify(headers) {
      const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
      const header = headers['x-api-key'];
      return lookUp(bearer) ?? lookUp(typeof header === 'string' ? header.trim() : undefined);
    },
    find(key) {
      if (typeof key === 'number') return key < indexes.size ? key : null;
      return lookUp(key);
    },
    revoke: (index) => void revoked.add(index),
    restore: (index) => void revoked.delete(index),
    isRevoked: (index) => revoked.has(index),
  };
}
