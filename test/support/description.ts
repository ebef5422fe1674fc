/** Holds answers, requests and examples to the description as it is committed, with a validator that knows nothing of the code. */
import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document has every shape.
export type Json = any;

export type Operation = {
  method: string;
  path: string;
  /** Fits the addresses of this operation. */
  fits: RegExp;
  facts: Json;
};

export const description: Json = JSON.parse(
  readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
);

export const operations: Operation[] = Object.entries<Json>(description.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, facts]) => ({
    method: method.toUpperCase(),
    path,
    fits: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    facts,
  })),
);

/** Answers may gain fields for clients, but not for us: a field that is not described is a fault. */
const strict = close(structuredClone(description));
const ajv = new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: true });
(addFormats as unknown as (to: typeof ajv) => void)(ajv);
ajv.addSchema(strict, 'carillon');
const known = new Map<string, ValidateFunction>();

function close(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  for (const [name, part] of Object.entries(value)) if (name !== 'allOf') close(part);
  if (value.properties && value.type === 'object') value.additionalProperties ??= false;
  return value;
}

/** The faults of a value, by the schema at these steps into the description; empty when there are none. */
export function faultsOf(value: unknown, ...steps: string[]): string[] {
  const pointer = steps
    .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  let check = known.get(pointer);
  if (!check) {
    check = ajv.compile({ $ref: `carillon#/${pointer}` });
    known.set(pointer, check);
  }
  if (check(value)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'the whole'} ${message} ${JSON.stringify(params)}`,
  );
}

export function operationOf(method: string, address: string): Operation | undefined {
  const path = address.split('?')[0]!;
  const found = operations.filter((each) => each.fits.test(path));
  const plain = found.filter((each) => !each.path.includes('{'));
  const asked = method === 'HEAD' ? 'GET' : method;
  return (plain.length > 0 ? plain : found).find((each) => each.method === asked);
}

export type Given = { status: number; headers: Headers; text: string };

/** Throws when an answer is not one that the description names. */
export function checkAnswer(method: string, address: string, answer: Given): void {
  const operation = operationOf(method, address);
  const faults = faultsOfAnswer(method, address, operation, answer);
  if (faults.length === 0) return;
  const told = `${faults.slice(0, 8).join('; ')}\n${answer.text.slice(0, 2_000)}`;
  throw new Error(`${method} ${address} answered ${answer.status}: ${told}`);
}

function faultsOfAnswer(
  method: string,
  address: string,
  operation: Operation | undefined,
  answer: Given,
): string[] {
  const type = typeOf(answer);
  if (answer.status >= 400 && (address.startsWith('/api') || operation)) {
    if (type !== 'application/problem+json') return [`its type is ${type}`];
    const faults =
      method === 'HEAD' ? [] : faultsOf(JSON.parse(answer.text), 'components', 'schemas', 'Problem');
    if (faults.length > 0) return faults;
  }
  // An address, a method or a body that is refused before its operation is known to be meant.
  if (!operation || method === 'HEAD' || answer.status === 304 || isRefusedBefore(answer)) return [];
  return faultsOfOperation(operation, answer);
}

function faultsOfOperation({ method: own, path, facts }: Operation, answer: Given): string[] {
  const named = facts.responses[answer.status];
  if (!named) return ['the description does not name this status'];
  const reference = named.$ref?.split('/').slice(1) as string[] | undefined;
  const said = reference ? description.components.responses[reference.at(-1)!] : named;
  if (!said.content) return [];
  const type = typeOf(answer);
  const content = said.content[type];
  if (!content) return [`the description does not name the type ${type}`];
  if (!/[/+]json$/.test(type) || content.schema.type === 'string') return [];
  const at = reference ?? ['paths', path, own.toLowerCase(), 'responses', String(answer.status)];
  return faultsOf(JSON.parse(answer.text), ...at, 'content', type, 'schema');
}

const typeOf = ({ headers }: Given) => headers.get('content-type')?.split(';')[0] ?? '';

function isRefusedBefore({ status, text }: Given): boolean {
  return (
    status >= 400 && /"code":"(unauthorized|forbidden|route-unknown|body-type|method-unknown)"/.test(text)
  );
}
