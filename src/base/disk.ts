import { CarillonError } from './errors.ts';

/** What the disk refused to write, in our words. */
const words: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
  EISDIR: 'a folder has that name',
  EEXIST: 'something else has that name',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'this user’s share of the disk is full',
};

/** Why something could not be written; undefined when the error is not the disk's. */
export function diskTrouble(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && Object.hasOwn(words, code) ? words[code] : undefined;
}

export function unwritable(path: string, error: unknown): CarillonError {
  const why = diskTrouble(error) ?? (error as Error).message;
  return new CarillonError('file-unwritable', `${path} cannot be written: ${why}`, { cause: error });
}
