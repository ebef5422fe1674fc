import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServiceDescription } from './description.ts';
import { firstName } from './read-answer.ts';
import { timeOf } from './values.ts';

/** Reads a service's webhook as a hint: only which call it is about. Its claims about the call are never trusted. */
export type Hook = {
  body: unknown;
  /** The body as it came: what most services sign. */
  bytes: Uint8Array;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type HookRead = {
  id: string | null;
  places: readonly string[];
  /** Null if the service signs nothing, or nobody said what it signs with. */
  isSigned: boolean | null;
};

/** Services sign with a secret that the owner has `set` here, or with an API key. */
export type HookKeys = { set: string | undefined; apiKeys: readonly string[] };

const common = ['/call/id', '/call_id', '/id'];
/** A signature that carries its time is accepted for this long. */
const toleranceMs = 30 * 60_000;

export function readHook(
  { webhook }: ServiceDescription,
  hook: Hook,
  { set, apiKeys }: HookKeys,
  now: number,
): HookRead {
  const given = webhook?.id ?? common;
  const places = typeof given === 'string' ? [given] : given;
  const id = firstName(hook.body, places);
  const signature = webhook?.signature;
  if (!signature) return { id, places, isSigned: null };
  const keys = [...(set === undefined ? [] : [set]), ...(signature.key === 'api-key' ? apiKeys : [])];
  return { id, places, isSigned: keys.length === 0 ? null : isSigned(signature, hook, id, keys, now) };
}

type Signature = NonNullable<NonNullable<ServiceDescription['webhook']>['signature']>;

function isSigned(signature: Signature, hook: Hook, id: string | null, keys: readonly string[], now: number) {
  const names = typeof signature.header === 'string' ? [signature.header] : signature.header;
  const text = names.map((name) => headerOf(hook, name)).find((value) => value !== undefined);
  if (text === undefined) return false;
  const { digests, time } = readSignature(signature.form, text);
  const told = signature.time === undefined ? time : headerOf(hook, signature.time);
  const at = told === undefined ? null : timeOf(told);
  if (told !== undefined && (at === null || Math.abs(Date.parse(at) - now) > toleranceMs)) return false;
  const parts = { body: hook.bytes, id: id ?? '', time: told ?? '' };
  const signed = {
    body: [parts.body],
    id: [parts.id],
    'body-time': [parts.body, parts.time],
    'time-body': [`${parts.time}.`, parts.body],
  }[signature.signs];
  return keys.some((key) => {
    const digest = createHmac('sha256', key);
    for (const part of signed) digest.update(part);
    const own = digest.digest();
    return digests.some((each) => each.length === own.length && timingSafeEqual(each, own));
  });
}

/** Services with two secrets, the old and the new one, send a signature for each. */
function readSignature(form: Signature['form'], text: string): { digests: Buffer[]; time?: string } {
  const parts = text.split(',').map((part) => part.trim());
  if (form === 'hex' || form === 'base64') return { digests: parts.map((part) => Buffer.from(part, form)) };
  const [timeName, name] = form.split('-');
  const named = (wanted: string) =>
    parts.flatMap((part) => (part.startsWith(`${wanted}=`) ? [part.slice(wanted.length + 1)] : []));
  const [time] = named(timeName!);
  const digests = named(name!).map((part) => Buffer.from(part, 'hex'));
  return time === undefined ? { digests: [] } : { digests, time };
}

function headerOf({ headers }: Hook, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
