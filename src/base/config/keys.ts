import { readNamedFile } from '../disk-errors.ts';
import { CarillonError } from '../errors.ts';

/** The settings of the keys: their names and secrets, and the rate and the calls at once of each. */
export type ApiKey = Readonly<{ name: string; secret: string }>;
export type Rate = 'auto' | number;

export function parseKeys(text: string | undefined): ApiKey[] {
  const entries = text?.split(',').map((entry, at) => ({ entry, where: `entry ${at + 1}` })) ?? [];
  return keysOf('VOICE_API_KEYS', entries);
}

/**
 * The keys in a file, one a line; empty lines and lines that begin with # are skipped. Only its owner may have access
 * to the file.
 */
export function readKeyFile(path: string, others: readonly ApiKey[] = []): ApiKey[] {
  const name = 'VOICE_API_KEYS_FILE';
  let text: string;
  try {
    text = readNamedFile(path, true);
  } catch (error) {
    throw wrong(name, (error as Error).message);
  }
  const lines = text.split(/\r?\n/).map((entry, at) => ({ entry, where: `line ${at + 1}` }));
  const keys = keysOf(
    name,
    lines.filter(({ entry }) => !entry.trimStart().startsWith('#')),
    others,
  );
  if (keys.length === 0) throw wrong(name, `${path} has no key`, 'Write one as name=secret, a line each.');
  return keys;
}

/**
 * The text before the first `=` is a name only when more than `=` follows it: secrets may end in `=`. But `main=` is a
 * name whose secret is missing, as where a variable was not set.
 */
function keysOf(
  setting: string,
  entries: readonly { entry: string; where: string }[],
  others: readonly ApiKey[] = [],
): ApiKey[] {
  const keys: ApiKey[] = [];
  for (const { entry, where } of entries) {
    const text = entry.trim();
    if (!text) continue;
    const [, alone] = /^([a-z0-9_-]{0,32})=$/.exec(text) ?? [];
    if (alone !== undefined) throw wrong(setting, `${where} has no secret after its "="`);
    const named = /^([^=]*)=(.*[^=].*)$/.exec(text);
    const name = named ? named[1]!.trim() : 'default';
    const secret = named ? named[2]!.trim() : text;
    // A secret may be where a name was meant: the message does not repeat it.
    if (!/^[a-z0-9_-]{1,32}$/.test(name)) {
      throw wrong(setting, `${where} has a name that is not 1 to 32 characters of a-z, 0-9, _ and -`);
    }
    if (!/^[\x21-\x7e]+$/.test(secret)) {
      throw wrong(setting, `key ${name} has a secret that is not valid in an HTTP header`);
    }
    const known = [...others, ...keys];
    if (known.some((key) => key.name === name)) throw wrong(setting, `has two keys named ${name}`);
    const twin = known.find((key) => key.secret === secret);
    if (twin) throw wrong(setting, `has one secret under two names, ${twin.name} and ${name}`);
    keys.push({ name, secret });
  }
  return keys;
}

/** A value for every key, and those of single keys: `20` or `main=20,other=auto`. */
type PerKey<T> = { common: T | undefined; own: Record<string, T> };

/** `mayCome`: a key that is not known yet may come later. */
function parsePerKey<T>(
  setting: string,
  text: string | undefined,
  keys: readonly ApiKey[],
  mayCome: boolean,
  parse: (value: string) => T,
): PerKey<T> {
  // No prototype: a key may have any name, even __proto__.
  const read: PerKey<T> = { common: undefined, own: Object.create(null) };
  for (const part of text?.split(',') ?? []) {
    const entry = part.trim();
    if (!entry) continue;
    const at = entry.indexOf('=');
    if (at < 0) {
      read.common = parse(entry);
      continue;
    }
    const name = entry.slice(0, at).trim();
    if (!mayCome && !keys.some((key) => key.name === name))
      throw wrong(setting, `names a key that is not in VOICE_API_KEYS: ${name}`);
    read.own[name] = parse(entry.slice(at + 1).trim());
  }
  return read;
}

export function parseRates(
  text: string | undefined,
  keys: readonly ApiKey[],
  mayCome: boolean,
): { rate: Rate; rates: Record<string, Rate> } {
  const { common, own } = parsePerKey('VOICE_RATE', text, keys, mayCome, (value): Rate => {
    if (value.toLowerCase() === 'auto') return 'auto';
    const parsed = Number(value);
    if (!Number.isFinite(parsed) || parsed <= 0 || parsed > 100_000) {
      throw wrong(
        'VOICE_RATE',
        `is neither "auto" nor a number of requests a second above 0, at most 100000: ${value}`,
      );
    }
    return parsed;
  });
  return { rate: common ?? 'auto', rates: own };
}

/** Calls at once of a key, and how many of them are kept free for calls that come in. */
export type MaxCalls = Readonly<{ most: number; inbound: number }>;

export function parseMaxCalls(
  text: string | undefined,
  fallback: number | undefined,
  keys: readonly ApiKey[],
  mayCome: boolean,
): { maxCalls: MaxCalls | undefined; maxCallsOf: Record<string, MaxCalls> } {
  const setting = 'VOICE_MAX_CALLS';
  const { common, own } = parsePerKey(setting, text, keys, mayCome, (value): MaxCalls => {
    const [, most, inbound = '0'] = /^(\d{1,6})(?:\s*-\s*(\d{1,6}))?$/.exec(value) ?? [];
    const read = { most: Number(most), inbound: Number(inbound) };
    if (most === undefined || read.most < 1) {
      const remedy = 'Write 10, or 10-2 to keep two of the ten free for calls that come in.';
      throw wrong(setting, `is not a whole number of 1 or more: ${value}`, remedy);
    }
    if (read.inbound >= read.most)
      throw wrong(setting, `keeps ${read.inbound} of ${read.most} calls free, and leaves none to make`);
    return read;
  });
  const published = fallback === undefined ? undefined : { most: fallback, inbound: 0 };
  return { maxCalls: common ?? published, maxCallsOf: own };
}

/** Keys of one account share one limit, so they have one rate too. A key that is not named has its own account. */
export function parseAccounts(
  text: string | undefined,
  keys: readonly ApiKey[],
  rateOf: (key: string) => Rate,
  mayCome: boolean,
): string[][] {
  const seen = new Set<string>();
  const accounts = text?.split(',').map((part) => part.split('+').map((each) => each.trim())) ?? [];
  for (const account of accounts) {
    for (const name of account) {
      if (!name) throw wrong('VOICE_ACCOUNTS', 'has an empty part', 'Write it as main+spare,other+third.');
      if (!mayCome && !keys.some((key) => key.name === name))
        throw wrong('VOICE_ACCOUNTS', `names a key that is not in VOICE_API_KEYS: ${name}`);
      if (seen.has(name)) throw wrong('VOICE_ACCOUNTS', `names the key ${name} twice`);
      seen.add(name);
      if (rateOf(name) !== rateOf(account[0]!))
        throw wrong(
          'VOICE_RATE',
          `gives ${account[0]} and ${name} different rates, which VOICE_ACCOUNTS joins`,
        );
    }
  }
  return accounts.filter((account) => account.length > 1).map((account) => account.sort());
}

/** One clear line that names the variable. */
export function wrong(name: string, why: string, remedy?: string): CarillonError {
  return new CarillonError('config-invalid', `${name} ${why}`, remedy === undefined ? {} : { remedy });
}

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

/** Settings that take one of a few values. */
export function oneOf<const T extends string>(
  name: string,
  text: string | undefined,
  wanted: readonly T[],
): T | undefined {
  if (text === undefined) return undefined;
  const found = wanted.find((value) => value === text);
  if (!found) throw wrong(name, `is not one of ${wanted.join(', ')}: ${text}`);
  return found;
}

const switches = ['1', '0', 'true', 'false', 'yes', 'no', 'on', 'off'] as const;

export function isOn(name: string, text: string | undefined): boolean {
  return ['1', 'true', 'yes', 'on'].includes(oneOf(name, text?.toLowerCase(), switches) ?? '0');
}
