/** The accepted keys. Secrets stay in this file: everywhere else a key is its index in the list. */
export type KeyRing = {
  /** The index of the first accepted secret, or null if there is none. A revoked key keeps its index. */
  identify(secrets: readonly (string | undefined)[]): number | null;
  /** Finds a key by index or by secret; null for an unknown key. */
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
    identify(secrets) {
      for (const secret of secrets) {
        const index = lookUp(secret);
        if (index !== null) return index;
      }
      return null;
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
