import { wrong } from './keys.ts';

/** The settings that are secrets of this installation. */
export function parseToken(name: string, text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\x21-\x7e]+$/.test(text)) {
    throw wrong(name, 'has a character that is not valid in an HTTP header');
  }
  return text;
}

/** It is part of an address, so it must be valid there as it is. The message does not repeat it. */
export function parseHookSecret(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\w.~-]{16,200}$/.test(text)) {
    throw wrong(
      'CARILLON_HOOK_SECRET',
      'is not 16 to 200 characters of a-z, A-Z, 0-9, ., _, ~ and -',
      'Make one with `openssl rand -hex 24`.',
    );
  }
  return text;
}

/** The message does not repeat it. */
export function parseSecret(text: string | undefined): string | undefined {
  if (text !== undefined && text.length < 16) {
    throw wrong(
      'CARILLON_SECRET',
      'is shorter than 16 characters',
      'Make one with `openssl rand -hex 32`, or leave it out to have one made in CARILLON_HOME.',
    );
  }
  return text;
}
