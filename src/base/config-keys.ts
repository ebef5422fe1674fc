import { CarillonError } from './errors.ts';

/** The settings of the keys: their names and secrets, and the rate of each. */
export type ApiKey = Readonly<{ name: string; secret: string }>;
export type Rate = 'auto' | number;

/** The text before the first `=` is a name only when more than `=` follows it: secrets may end in `=`. */
export function parseKeys(text: string | undefined): ApiKey[] {
  if (!text) return [];
  const keys: ApiKey[] = [];
  for (const [index, part] of text.split(',').entries()) {
    const entry = part.trim();
    if (!entry) continue;
    const named = /^([^=]*)=(.*[^=].*)$/.exec(entry);
    const name = named ? named[1]!.trim() : 'default';
    const secret = named ? named[2]!.trim() : entry;
    // A secret may be where a name was meant: the message does not repeat it.
    if (!/^[a-z0-9_-]{1,32}$/.test(name)) {
      throw wrong(
        'VOICE_API_KEYS',
        `entry ${index + 1} has a name that is not 1 to 32 characters of a-z, 0-9, _ and -`,
      );
    }
    if (!/^[\x21-\x7e]+$/.test(secret)) {
      throw wrong('VOICE_API_KEYS', `key ${name} has a secret that is not valid in an HTTP header`);
    }
    if (keys.some((key) => key.name === name)) throw wrong('VOICE_API_KEYS', `has two keys named ${name}`);
    const twin = keys.find((key) => key.secret === secret);
    if (twin) throw wrong('VOICE_API_KEYS', `has one secret under two names, ${twin.name} and ${name}`);
    keys.push({ name, secret });
  }
  return keys;
}

export function parseRates(
  text: string | undefined,
  keys: readonly ApiKey[],
): { rate: Rate; rates: Record<string, Rate> } {
  let rate: Rate = 'auto';
  // Without a prototype: a key may have any name, even __proto__.
  const rates: Record<string, Rate> = Object.create(null);
  const parseRate = (value: string): Rate => {
    if (value.toLowerCase() === 'auto') return 'auto';
    const parsed = Number(value);
    if (!Number.isFinite(parsed) || parsed <= 0 || parsed > 100_000) {
      throw wrong(
        'VOICE_RATE',
        `is neither "auto" nor a number of requests a second above 0, at most 100000: ${value}`,
      );
    }
    return parsed;
  };
  for (const part of text?.split(',') ?? []) {
    const entry = part.trim();
    if (!entry) continue;
    const at = entry.indexOf('=');
    if (at < 0) {
      rate = parseRate(entry);
      continue;
    }
    const name = entry.slice(0, at).trim();
    if (!keys.some((key) => key.name === name))
      throw wrong('VOICE_RATE', `names a key that is not in VOICE_API_KEYS: ${name}`);
    rates[name] = parseRate(entry.slice(at + 1).trim());
  }
  return { rate, rates };
}

/** Keys of one account share one limit, so they have one rate too. A key that is not named has an account of its own. */
export function parseAccounts(
  text: string | undefined,
  keys: readonly ApiKey[],
  rateOf: (key: string) => Rate,
): string[][] {
  const seen = new Set<string>();
  const accounts = text?.split(',').map((part) => part.split('+').map((each) => each.trim())) ?? [];
  for (const account of accounts) {
    for (const name of account) {
      if (!name) throw wrong('VOICE_ACCOUNTS', 'has an empty part', 'Write it as main+spare,other+third.');
      if (!keys.some((key) => key.name === name))
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
