import { isEmpty } from './pointer.ts';
import { digitsOf, isObject } from './values.ts';

/**
 * Requests with named places. `{phone}` by itself is the place's value in its own type; inside other text it is text.
 * Empty values are left out, and so are objects and lists that hold nothing else.
 *
 * `{"$spread": {...}, "name": ...}` lays its other fields over the spread object; of a list, each over the one before.
 * `{"$as": "pairs", "of": ...}` gives a value another form. `{"$most": 40, "of": ...}` cuts text. `{"$first": [...]}`
 * takes the first that is not empty. `{"$choose": "{settings.provider}", "twilio": ..., "*": ...}` takes the field that
 * the text names.
 */
export type Node = unknown;
export type Places = Readonly<Record<string, unknown>>;

const whole = /^\{([a-z_.0-9]+)\}$/;
const inside = /\{([a-z_.0-9]+)\}/g;
export const forms = ['texts', 'scalars', 'pairs', 'integer', 'text', 'json', 'digits'] as const;
type Form = (typeof forms)[number];

export function fill(node: Node, places: Places): unknown {
  if (typeof node === 'string') return fillText(node, places);
  if (Array.isArray(node)) {
    const items = node.map((each) => fill(each, places)).filter((each) => each !== undefined);
    return items.length === 0 && node.length > 0 ? undefined : items;
  }
  if (!isObject(node)) return node;
  if ('$as' in node) return shape(node.$as as Form, fill(node.of, places));
  if ('$most' in node) return cut(fill(node.of, places), node.$most as number);
  if ('$first' in node) return first(node.$first as Node[], places);
  if ('$choose' in node) return choose(node, places);
  return fillObject(node, places);
}

function fillText(text: string, places: Places): unknown {
  const [, name] = whole.exec(text) ?? [];
  if (name !== undefined) return isEmpty(places[name]) ? undefined : places[name];
  let isMissing = false;
  const filled = text.replace(inside, (_, place: string) => {
    if (isEmpty(places[place])) isMissing = true;
    return String(places[place] ?? '');
  });
  return isMissing ? undefined : filled;
}

function fillObject({ $spread, ...given }: Record<string, unknown>, places: Places): unknown {
  const filled: Record<string, unknown> = {};
  for (const each of Array.isArray($spread) ? $spread : [$spread]) {
    const under = each === undefined ? null : fill(each, places);
    if (isObject(under)) for (const [name, value] of Object.entries(under)) set(filled, name, value);
  }
  for (const [name, node] of Object.entries(given)) {
    const value = fill(node, places);
    if (value === undefined) continue;
    const key = fillText(name, places);
    if (typeof key !== 'string') continue;
    const below = Object.hasOwn(filled, key) ? filled[key] : undefined;
    set(filled, key, isObject(below) && isObject(value) ? { ...below, ...value } : value);
  }
  const hadNone = $spread === undefined && Object.keys(given).length === 0;
  return Object.keys(filled).length === 0 && !hadNone ? undefined : filled;
}

/** A name such as `__proto__` is only a name here. */
function set(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

function first(nodes: readonly Node[], places: Places): unknown {
  for (const node of nodes) {
    const value = fill(node, places);
    if (!isEmpty(value)) return value;
  }
  return undefined;
}

function choose({ $choose, ...ways }: Record<string, unknown>, places: Places): unknown {
  const chosen = String(fill($choose, places) ?? '');
  const way = Object.hasOwn(ways, chosen) ? ways[chosen] : ways['*'];
  return way === undefined ? undefined : fill(way, places);
}

function cut(value: unknown, most: number): unknown {
  return typeof value === 'string' && value.length > most ? value.slice(0, most).toWellFormed() : value;
}

function shape(form: Form, value: unknown): unknown {
  if (isEmpty(value)) return undefined;
  switch (form) {
    case 'text':
      return asText(value);
    case 'json':
      return JSON.stringify(value);
    case 'digits':
      return digitsOf(asText(value));
    case 'integer':
      return /^\d{1,15}$/.test(String(value)) ? Number(value) : value;
    case 'texts':
      return isObject(value) ? mapValues(value, asText) : value;
    case 'scalars':
      return isObject(value) ? mapValues(value, asScalar) : value;
    case 'pairs':
      return isObject(value)
        ? Object.entries(value)
            .filter(([, part]) => !isEmpty(part))
            .map(([key, part]) => ({ key, value: asText(part) }))
        : value;
  }
}

function mapValues(value: Record<string, unknown>, of: (part: unknown) => unknown): Record<string, unknown> {
  const mapped: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    if (part !== null && part !== undefined) set(mapped, name, of(part));
  }
  return mapped;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function asScalar(value: unknown): unknown {
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

/** A path in which each place is one segment, even `..` and broken text. Null when a place is empty. */
export function fillPath(path: string, places: Places): string | null {
  let isMissing = false;
  const filled = path.replace(inside, (_, name: string) => {
    if (isEmpty(places[name])) isMissing = true;
    return segmentOf(String(places[name] ?? ''));
  });
  return isMissing ? null : filled;
}

export function fillQuery(query: Readonly<Record<string, Node>> | undefined, places: Places): string {
  const asked = new URLSearchParams();
  for (const [name, node] of Object.entries(query ?? {})) {
    const value = fill(node, places);
    if (!isEmpty(value)) asked.set(name, asText(value));
  }
  return asked.size > 0 ? `?${asked}` : '';
}

/** Alternating names and values. */
function fillHeaders(headers: Readonly<Record<string, Node>> | undefined, places: Places): string[] {
  return Object.entries(headers ?? {}).flatMap(([name, node]) => {
    const value = fill(node, places);
    return isEmpty(value) ? [] : [name, headerValue(asText(value))];
  });
}

/** Letters that a header cannot carry as they are, such as the end of a line, are written as an address has them. */
function headerValue(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\x20-\x7e]+/g, encodeURIComponent)
    .trim();
}

/** A request as it leaves, without its credential. */
export type WrittenRequest = Readonly<{ path: string; headers: readonly string[]; body?: string }>;

export function writeRequest(
  form: Readonly<{ headers?: Readonly<Record<string, Node>> | undefined; body?: Node }>,
  path: string,
  places: Places,
): WrittenRequest {
  const headers = fillHeaders(form.headers, places);
  if (form.body === undefined) return { path, headers };
  const body = JSON.stringify(fill(form.body, places) ?? {});
  return { path, headers: [...headers, 'content-type', 'application/json'], body };
}

function segmentOf(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replace(/^\.{1,2}$/, (dots) =>
    dots.replaceAll('.', '%2E'),
  );
}

/** The places that a node names, each with the path of fields that leads to it. */
export function placesIn(node: Node, path: readonly string[] = []): { name: string; path: string[] }[] {
  if (typeof node === 'string') {
    return [...node.matchAll(inside)].map(([, name]) => ({ name: name!, path: [...path] }));
  }
  if (Array.isArray(node)) return node.flatMap((each) => placesIn(each, path));
  if (!isObject(node)) return [];
  return Object.entries(node).flatMap(([name, part]) => {
    const isForm = name.startsWith('$') || '$choose' in node || name === 'of';
    return [...placesIn(name, path), ...placesIn(part, isForm ? path : [...path, name])];
  });
}

/** Places that every request may name. */
const always = ['limit', 'cursor', 'offset', 'page', 'before'];
const ofCall = ['call', 'agent', 'agent.ref', 'handle'];
export const placesOf: Readonly<Record<string, readonly string[]>> = {
  create: [
    'agent',
    'agent.ref',
    'agent.listed',
    'agent.unlisted',
    'phone',
    'phone.digits',
    'name',
    'variables',
    'override',
    'from',
    'from.id',
    'caller.id',
    'caller.phone',
    'caller.provider',
    'stamp',
    'campaign',
    'traceparent',
    'idempotency_key',
  ],
  get: ofCall,
  transcript: [...ofCall, ...always],
  list: [
    ...always,
    'stamp',
    'phone',
    'phone.digits',
    'agent',
    'agent.ref',
    'since',
    'since.ms',
    'since.s',
    'until',
    'until.ms',
    'until.s',
  ],
  hang_up: ofCall,
  update: ['call', 'status', 'metadata', 'cancel'],
  numbers: always,
  agents: always,
  live_calls: [],
};
