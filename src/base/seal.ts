import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { CarillonError } from './errors.ts';

/**
 * Seals small secrets with the installation's own, so that a copy of the ledger does not give them away. A sealed text
 * carries a mark of the secret that sealed it, so that a wrong secret is not mistaken for broken data.
 */
export type Seal = {
  /** Names the secret without revealing it. */
  mark: string;
  /** `owner` is bound to it: sealed text that is copied to another row does not open there. */
  seal(text: string, owner: string): string;
  open(sealed: string, owner: string): string;
  /** The same text has the same hash under the same secret, whose mark comes first; the text cannot be read from it. */
  hash(text: string): string;
};

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

export function createSeal(secret: string): Seal {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, 'carillon', purpose, bytes));
  const key = derive('seal', 32);
  const mark = derive('mark', 4).toString('hex');
  const hashKey = derive('hash', 32);

  return {
    mark,
    hash: (text) => `${mark}.${createHmac('sha256', hashKey).update(text).digest('base64url')}`,
    seal(text, owner) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const whole = Buffer.concat([Buffer.from([version]), nonce, cipher.getAuthTag(), body]);
      return `${mark}.${whole.toString('base64url')}`;
    },
    open(sealed, owner) {
      const [sealedBy, text = ''] = sealed.split('.');
      if (sealedBy !== mark) throw new CarillonError('secret-other');
      const whole = Buffer.from(text, 'base64url');
      const bodyAt = 1 + nonceBytes + tagBytes;
      try {
        if (whole[0] !== version) throw new Error('another version');
        const cipher = createDecipheriv('aes-256-gcm', key, whole.subarray(1, 1 + nonceBytes), {
          authTagLength: tagBytes,
        });
        cipher.setAAD(Buffer.from(owner)).setAuthTag(whole.subarray(1 + nonceBytes, bodyAt));
        return cipher.update(whole.subarray(bodyAt), undefined, 'utf8') + cipher.final('utf8');
      } catch (error) {
        throw new CarillonError(
          'secret-other',
          'A sealed secret in the ledger was changed and cannot be opened',
          {
            remedy: 'Restore the ledger, or remove what it belongs to and add it again.',
            cause: error,
          },
        );
      }
    },
  };
}

/** The mark of the secret that sealed it. */
export function markOf(sealed: string): string {
  return sealed.split('.', 1)[0]!;
}
