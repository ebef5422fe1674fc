import { z } from 'zod';
import { flags } from '../../control/order/term.ts';
import { personal } from '../access/hide-people.ts';

/** JSON Schema from zod, as OpenAPI 3.1 takes it: a schema with an `id` appears once, among the components. */
export type JsonSchema = { [key: string]: unknown };

export type Components = Map<string, JsonSchema>;

/** `input` is what a request may send, before defaults; `output` is what an answer has, as JSON. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): JsonSchema {
  const {
    $schema: _,
    $defs = {},
    ...whole
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => adapt(zodSchema, jsonSchema, io),
  }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
  const made = (part: JsonSchema) => relocate(io === 'output' ? mayBeHidden(part) : part);
  for (const [id, part] of Object.entries($defs)) keep(components, id, made(part));
  return made(whole);
}

function keep(components: Components, id: string, schema: JsonSchema): void {
  const { id: _, ...rest } = schema;
  const known = components.get(id);
  if (known && JSON.stringify(known) !== JSON.stringify(rest)) {
    throw new Error(`Two schemas are called ${id}, or one differs as input and as output`);
  }
  components.set(id, rest);
}

type Adapted = Parameters<NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>>[0];

function adapt(schema: Adapted['zodSchema'], json: JsonSchema, io: 'input' | 'output'): void {
  // A time is sent as text.
  if (schema._zod.def.type === 'date') Object.assign(json, { type: 'string', format: 'date-time' });
  // A flag's help on an option of an order also describes its field.
  const flag = flags.get(schema as unknown as z.ZodType);
  if (flag && json.description === undefined) json.description = flag.help;
  // Clients must accept fields that a later version adds.
  if (io === 'output' && json.additionalProperties === false) delete json.additionalProperties;
  if (JSON.stringify(json.propertyNames) === '{"type":"string"}') delete json.propertyNames;
  // Generated clients read patterns without the classes of Unicode. Half a character, which `Cs` is, no JSON holds.
  if (typeof json.pattern === 'string')
    json.pattern = json.pattern.replaceAll('\\p{Cc}\\p{Cs}', '\\x00-\\x1f\\x7f-\\x9f');
  // Every client knows the numbers to 2^53 as integers.
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
}

/** Fields about a person are null in answers to tokens that may not see people. */
function mayBeHidden(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, part]) => {
      if (Array.isArray(part)) return [key, part.map((each) => (isObject(each) ? mayBeHidden(each) : each))];
      if (!isObject(part)) return [key, part];
      if (key !== 'properties') return [key, mayBeHidden(part)];
      const properties = Object.entries(part).map(([name, each]) => {
        const inner = mayBeHidden(each as JsonSchema);
        return [name, personal.has(name) ? orNull(inner) : inner];
      });
      return [key, Object.fromEntries(properties)];
    }),
  );
}

function orNull(schema: JsonSchema): JsonSchema {
  const { description = 'Null for those who may not see people.', ...rest } = schema;
  const isNull = (each: unknown) => isObject(each) && [each.type].flat().includes('null');
  // A count has the same name as what it counts.
  if (rest.type === 'integer') return schema;
  if ([rest, rest.anyOf].flat().some(isNull))
    return { description: 'Null also for those who may not see people.', ...schema };
  if (rest.type === undefined && rest.$ref === undefined) return schema;
  return { description, anyOf: [rest, { type: 'null' }] };
}

function isObject(value: unknown): value is JsonSchema {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function relocate<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as T;
}
