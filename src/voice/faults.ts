import type { IncomingHttpHeaders } from 'node:http';
import type { Meaning } from './description.ts';
import { namesPhone } from './mismatch.ts';
import { type FieldProblem, readProblems, readWords, shorten, tellProblems } from './service-message.ts';

/** Why a request failed, as a value: it decides whether a person may be called again. */
export type Fault =
  /** 429: wait and ask again; nothing was made. */
  | Readonly<{ kind: 'busy'; message: string; status: number; retryAfterMs: number | null }>
  /** The account has too many calls at once for another; nothing was made. */
  | Readonly<{ kind: 'full'; message: string; status: number; retryAfterMs: number | null }>
  /** 402: no credit; nothing was made. */
  | Readonly<{ kind: 'no-credit'; message: string; status: number }>
  /** 401, 403: the key is not accepted; nothing was made. */
  | Readonly<{ kind: 'denied'; message: string; status: number }>
  /**
   * The request is wrong. `customer` is true if only the person's own data is wrong, `missing` if what was asked for
   * does not exist, `invalid` if a value that was given is not valid.
   */
  | Readonly<{
      kind: 'refused';
      message: string;
      status: number;
      customer: boolean;
      missing: boolean;
      invalid: boolean;
    }>
  /** It may have happened. Such a create is never sent again automatically. */
  | Readonly<{
      kind: 'lost';
      message: string;
      status: number | null /** It began to answer 2xx. */;
      accepted: boolean;
      /** The service no longer knows the idempotency key, or knows another request under it. */
      keySpent?: true;
    }>
  /** It certainly did not happen: not a byte was `sent`, or the description says so of the answer. */
  | Readonly<{ kind: 'unreachable'; message: string; status: number | null; sent: boolean }>;

export type FaultKind = Fault['kind'];

export type Refusal = Readonly<{
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: unknown;
  /** Removes the secret from the service's words before they are shortened: half a secret is one too. */
  mask: (text: string) => string;
}>;

/** A server that answers with these did nothing. After any other 4xx (408, 409, 424, 499...) it may have. */
const madeNothing = new Set([400, 404, 405, 410, 411, 413, 414, 415, 421, 422, 426, 428, 431, 451]);

const phrases: Record<number, string> = {
  400: 'bad request',
  401: 'the API key is not accepted',
  402: 'insufficient credits',
  403: 'the API key may not do this',
  404: 'not found',
  408: 'request timeout',
  422: 'the request is not valid',
  429: 'too many requests',
  500: 'internal server error',
  502: 'bad gateway',
  503: 'service unavailable',
  504: 'gateway timeout',
};

/** The meaning of the common codes; a description's own rules come first. */
export function meaningOf({ status }: Pick<Refusal, 'status'>, creates: boolean): Meaning {
  if (status === 429) return 'later';
  if (status === 402) return 'no-credit';
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'missing';
  if (madeNothing.has(status)) return 'refused';
  return !creates && status >= 400 && status < 500 && status !== 408 ? 'refused' : 'in-doubt';
}

/** `person` names the fields of the body that hold the person's own data; `now` is for a Retry-After with a date. */
export function refusalFault(answer: Refusal, meaning: Meaning, person: PersonFields, now: number): Fault {
  const { status } = answer;
  const message = tell(answer);
  switch (meaning) {
    case 'later':
      return { kind: 'busy', message, status, retryAfterMs: readRetryAfter(answer.headers, now) };
    case 'no-room':
      return { kind: 'full', message, status, retryAfterMs: readRetryAfter(answer.headers, now) };
    case 'no-credit':
      return { kind: 'no-credit', message, status };
    case 'denied':
      return { kind: 'denied', message, status };
    case 'nothing-made':
      return { kind: 'unreachable', message, status, sent: true };
    case 'in-doubt':
      return { kind: 'lost', message, status, accepted: false };
    case 'key-spent':
      return { kind: 'lost', message, status, accepted: false, keySpent: true };
    default: {
      const customer =
        meaning === 'person' || (status === 422 && namesPerson(readProblems(answer.json), person));
      const missing = meaning === 'missing';
      return { kind: 'refused', message, status, customer, missing, invalid: status === 422 && !missing };
    }
  }
}

/** The words of an answer, masked and in one line. */
export function wordsOf({ text, json, mask }: Refusal): string {
  const said = readWords(text, json);
  return said === null ? '' : shorten(mask(said));
}

/** The request cannot be made from what is known; nothing was sent. `customer`: the person's own data is the reason. */
export function unsentFault(message: string, customer = false): Fault {
  return { kind: 'refused', message, status: 0, customer, missing: false, invalid: false };
}

export function lostFault(why: string, status: number | null, accepted = false): Fault {
  const answered = status === null ? 'no readable answer' : `the service answered ${status}`;
  return { kind: 'lost', message: `${answered}: ${shorten(why)}`, status, accepted };
}

export function unreachableFault(why: string): Fault {
  return { kind: 'unreachable', message: `nothing was sent: ${shorten(why)}`, status: null, sent: false };
}

/** Milliseconds to wait, from seconds or a date; null if it is absent or invalid. At most an hour. */
export function readRetryAfter(headers: IncomingHttpHeaders, now: number): number | null {
  const given: string | string[] | undefined = headers['retry-after'];
  const text = (Array.isArray(given) ? given[0] : given)?.trim();
  if (!text) return null;
  const wait = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : readDate(text) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(Math.ceil(wait), 0), 3_600_000);
}

/** The three forms of an HTTP date, and ISO 8601. `Date.parse` by itself would accept "5 apples". */
function readDate(text: string): number {
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return Date.parse(text);
  if (!/^[A-Za-z]{3,9},? /.test(text)) return Number.NaN;
  return Date.parse(/(GMT|UTC|[+-]\d{4})$/i.test(text) ? text : `${text} GMT`);
}

function tell({ status, headers, text, json, mask }: Refusal): string {
  const clean = (words: string) => shorten(mask(words));
  const problems = status === 422 ? readProblems(json) : [];
  if (problems.length > 0) return clean(tellProblems(problems));
  const said = readWords(text, json);
  const words = said === null ? phrases[status] : clean(said);
  const line = words ? `the service answered ${status}: ${words}` : `the service answered ${status}`;
  if (status < 300 || status >= 400) return line;
  const target = typeof headers.location === 'string' ? ` to ${clean(headers.location)}` : '';
  return `the service answered ${status}, a redirect${target}, which is not followed`;
}

/** The fields of a create's body that hold the person's data: their names, and the field that contains them all. */
export type PersonFields = Readonly<{
  within: string | null;
  phone: string | null;
  names: readonly string[];
}>;

/** What a create said, as far as an answer may name it. */
export type CreateWords = Readonly<{
  phone: string;
  caller: string | null;
  /** The agent and others that an answer names only if it repeats the request. */
  others: readonly string[];
}>;

/** Refusals that may be about one person: nothing was made, and neither credit nor room nor the key is their reason. */
const maybePersons: readonly Meaning[] = ['refused', 'missing'];
const ofAccount =
  /\b(credits?|balance|quota|limits?|concurren\w*|billing|payments?|funds|subscription|suspended)\b/i;

/**
 * A refusal that names the person's number is about that person. One that also names the caller's, or the account's
 * affairs, or repeats the request, may be about anything.
 */
export function isAboutPerson(answer: Refusal, meaning: Meaning, said: CreateWords): boolean {
  const { status, text, json } = answer;
  if (!maybePersons.includes(meaning) && !(meaning === 'denied' && status === 403)) return false;
  const problems = readProblems(json).map(({ message }) => message);
  const texts =
    problems.length > 0 ? problems : json === undefined ? [text.slice(0, mostRead)] : textsIn(json);
  const names = (each: string) => namesPhone(each, said.phone);
  if (problems.length > 0 ? !problems.every(names) : !texts.some(names)) return false;
  return !texts.some(
    (each) =>
      ofAccount.test(each) ||
      (said.caller !== null && namesPhone(each, said.caller)) ||
      said.others.some((other) => each === other || each.includes(JSON.stringify(other))),
  );
}

/** An answer that says more than this is no refusal of a person. */
const mostRead = 2_000;

function textsIn(json: unknown, depth = 0): string[] {
  if (typeof json === 'string' || typeof json === 'number') return [String(json).slice(0, mostRead)];
  if (typeof json !== 'object' || json === null || depth > 6) return [];
  return Object.values(json)
    .slice(0, 50)
    .flatMap((each) => textsIn(each, depth + 1));
}

/**
 * The person's data is at fault only if every problem is in the customer field. If a field is missing, or unknown to
 * the service, the order itself is wrong, and every row would fail.
 */
function namesPerson(problems: readonly FieldProblem[], { within, phone, names }: PersonFields): boolean {
  return (
    problems.length > 0 &&
    problems.every(({ path, type }) => {
      const [field, child] = path.length === 1 ? path[0]!.split('.') : path;
      if (phone !== null && field === phone) return true;
      if (within === null ? !names.includes(field ?? '') : field !== within) return false;
      if (/extra/.test(type)) return false;
      return !/missing/.test(type) || child === undefined || names.includes(child);
    })
  );
}
