/** The parts of a request that may be long, by the description, and requests in which one of them is as long as wanted. */
import { description, type Json } from './description.ts';

/** A list, an object of any names, or a text, anywhere in a body. */
export type Part = {
  steps: string[];
  kind: 'list' | 'object' | 'text';
  entry: Json;
  /** Entries or letters that the description allows; undefined where it names no bound. */
  most: number | undefined;
};

export function partsOf(given: Json, steps: string[] = []): Part[] {
  const schema = resolve(given);
  const choices: Json[] = schema.anyOf ?? schema.oneOf ?? [];
  const inner = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, each]) =>
    partsOf(each, [...steps, name]),
  );
  const kinds = [schema.type].flat();
  const own: Part[] = [];
  if (kinds.includes('array'))
    own.push({ steps, kind: 'list', entry: schema.items ?? {}, most: schema.maxItems });
  if (kinds.includes('object') && schema.additionalProperties && steps.length > 0)
    own.push({ steps, kind: 'object', entry: schema.additionalProperties, most: schema.maxProperties });
  if (kinds.includes('string') && !schema.enum && !schema.format)
    own.push({ steps, kind: 'text', entry: schema, most: schema.maxLength });
  const all = [...own, ...inner, ...choices.flatMap((each) => partsOf(each, steps))];
  return all.filter((one, at) => all.findIndex((each) => nameOf(each) === nameOf(one)) === at);
}

function nameOf({ steps, kind }: Part): string {
  return `${kind} ${steps.join('.')}`;
}

export function withPart(example: Json, part: Part, n: number): Json {
  const { steps } = part;
  const name = steps.at(-1) ?? '';
  const value = valueFor(part, n);
  if (steps.length === 0) return value;
  const body = structuredClone(example);
  const holder = steps.slice(0, -1).reduce((part: Json, step) => {
    if (part[step] === null || typeof part[step] !== 'object') part[step] = {};
    return part[step];
  }, body);
  holder[name] = value;
  return body;
}

/** A list, an object or a text of this length. */
export function valueFor({ steps, kind, entry }: Part, n: number): Json {
  const name = steps.at(-1) ?? '';
  if (kind === 'text') return textOf(name, n);
  const entries = Array.from({ length: n }, (_, k) => entryOf(entry, name, k));
  return kind === 'list' ? entries : Object.fromEntries(entries.map((each, k) => [`key${k}`, each]));
}

/** Texts that a reader takes apart. */
const repeated: Record<string, string> = {
  window: '0-1+',
  days: 'mon,',
  not_on: '2026-12-24,',
  holidays: 'US,',
  retry: 'busy=1m/',
  outcome: 'busy,',
  state: 'done,',
};

function textOf(name: string, n: number): string {
  return (repeated[name] ?? 'a').repeat(n).slice(0, n);
}

function entryOf(given: Json, name: string, k: number): Json {
  const schema = resolve(given);
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[k % schema.enum.length];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return entryOf(first, name, k);
  if (schema.properties) {
    const parts = Object.entries<Json>(schema.properties).map(([field, each]) => [
      field,
      entryOf(each, field, k),
    ]);
    return Object.fromEntries(parts);
  }
  // Caps that do not contradict each other, so that all of them are compared.
  if (name === 'calls') return 1_000 + k;
  if (name === 'per') return `${(k + 1) * 300}m`;
  if ([schema.type].flat().includes('integer')) return k + 1;
  if (name === 'not_on') return new Date(Date.UTC(2026, 0, 1 + k)).toISOString().slice(0, 10);
  return name.startsWith('phone') ? `+1415555${String(k).padStart(4, '0')}` : `x${k}`;
}

function resolve({ $ref, ...schema }: Json): Json {
  if (!$ref) return schema;
  const steps: string[] = $ref.split('/').slice(1);
  return resolve(steps.reduce((part: Json, step) => part[step], description));
}
