import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { isObject } from './values.ts';

/** Turns a service's words into one line for a person: short, plain, without the secret. */
export type FieldProblem = Readonly<{ path: readonly string[]; message: string; type: string }>;

const longest = 300;

/** `customer.phone_number: value is not a valid phone number; agent_id: field required` */
export function tellProblems(problems: readonly FieldProblem[]): string {
  return problems
    .map(({ path, message }) => (path.length ? `${path.join('.')}: ${message}` : message))
    .join('; ');
}

/** The entries of a validation error, read leniently: a missing `type` must not hide what is wrong. */
export function readProblems(body: unknown): FieldProblem[] {
  const detail = isObject(body) ? body.detail : undefined;
  if (!Array.isArray(detail)) return [];
  return detail.filter(isObject).map((entry) => {
    // Only the interface's kinds: an object may not even turn into text.
    const loc = Array.isArray(entry.loc) ? entry.loc.filter(isNameOrPlace).map(String) : [];
    return {
      path: loc[0] === 'body' ? loc.slice(1) : loc,
      message: typeof entry.msg === 'string' ? entry.msg : 'is not valid',
      type: typeof entry.type === 'string' ? entry.type : '',
    };
  });
}

const isNameOrPlace = (part: unknown) => typeof part === 'string' || typeof part === 'number';

/** The message of an error body of any shape; null if it has none. */
export function readWords(text: string, json: unknown): string | null {
  if (json === undefined) return stripTags(text).trim() || null;
  return findMessage(json) || (/\w/.test(text) && json !== null ? text : null);
}

export function shorten(text: string): string {
  // Control and direction characters must not reach a terminal.
  const line = text
    .replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > longest ? `${line.slice(0, longest - 1).trimEnd()}…` : line;
}

/** Any depth can be parsed; a value deeper than some thousands cannot be written again. */
const deepest = 500;

function isTooDeep(text: string): boolean {
  if (text.length < deepest) return false;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') quoted = !quoted;
    else if (quoted) at += sign === '\\' ? 1 : 0;
    else if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}

/** Undefined if it is not JSON, or nests deeper than any record does. */
export function readJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** Some proxies compress although it was not requested. Null if the body cannot be decompressed. */
export function decode(body: Buffer, encoding: string | undefined, maxBytes: number): string | null {
  const limit = { maxOutputLength: maxBytes };
  try {
    switch (encoding?.trim().toLowerCase()) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body, limit).toString();
      case 'deflate':
        return inflateSync(body, limit).toString();
      case 'br':
        return brotliDecompressSync(body, limit).toString();
      default:
        return body.toString();
    }
  } catch {
    return null;
  }
}

export type Mask = {
  /** Masks text that is shown. */
  text(text: string): string;
  /** Masks a record: every string except those that we compute with. */
  record<T>(raw: string, value: T): T;
};

const hidden = '[secret]';
const kept = new Set(['id', 'status']);

/** `also` is the value of a header: a proxy that shows a request in its error page shows that value. */
export function createMask(secret: string, also?: string | null): Mask {
  const forms = [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])];
  const parts = also ? [...forms, also.slice(also.lastIndexOf(' ') + 1)] : forms;
  const text = (given: string) => parts.reduce((line, part) => line.replaceAll(part, hidden), given);
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(walk);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        text(name),
        kept.has(name) && typeof part === 'string' ? part : walk(part),
      ]),
    );
  };
  return {
    text,
    record<T>(raw: string, value: T): T {
      // A secret as short as a word ("test") would occur in many transcripts.
      if (secret.length < 8 || !forms.some((form) => raw.includes(form))) return value;
      return walk(value) as T;
    },
  };
}

function findMessage(json: unknown, depth = 0): string | undefined {
  if (typeof json === 'string') return json;
  if (depth > 6) return undefined;
  if (Array.isArray(json)) return json.length ? findMessage(json[0], depth + 1) : undefined;
  if (!isObject(json)) return undefined;
  for (const name of [
    'detail',
    'message',
    'msg',
    'error',
    'errors',
    'error_description',
    'description',
    'title',
  ]) {
    const found = json[name] === undefined ? undefined : findMessage(json[name], depth + 1);
    if (found) return found;
  }
  return undefined;
}

function stripTags(text: string): string {
  const start = text.slice(0, 20_000);
  if (!/<[a-z!/]/i.test(start)) return start;
  const body = dropUnseen(start).replace(/<[^<>]*>/g, ' ');
  if (body.trim()) return body;
  return /<title[^<>]*>([^<]*)/i.exec(start)?.[1] ?? '';
}

/**
 * Drops text that a browser hides. Each end is looked for once, so that a page of nothing but beginnings takes no
 * longer.
 */
function dropUnseen(html: string): string {
  const lower = html.toLowerCase();
  const ended = new Set<string>();
  let seen = '';
  let at = 0;
  for (const { 1: name, index } of lower.matchAll(/<(head|script|style)\b/g)) {
    if (index < at || ended.has(name!)) continue;
    const close = lower.indexOf(`</${name}`, index);
    const end = close < 0 ? -1 : lower.indexOf('>', close);
    if (end < 0) ended.add(name!);
    else {
      seen += `${html.slice(at, index)} `;
      at = end + 1;
    }
  }
  return seen + html.slice(at);
}
