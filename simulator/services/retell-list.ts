/** Retell's list of calls: a body of filters, each with a type, an operator and a value. */
import { z } from 'zod';
import type { Call } from '../calls.ts';
import type { Prepared, Request } from '../dialect.ts';
import { json, type Reply } from '../reply.ts';
import { anyObject, type Flaw, holdBody, type Json, readObject } from '../shape.ts';
import { listCalls } from '../view.ts';
import type { World } from '../world.ts';

const string = z.strictObject({
  type: z.literal('string'),
  op: z.enum(['eq', 'ne', 'sw', 'ew', 'co']),
  value: z.string(),
});
const enumOf = (values: readonly [string, ...string[]]) =>
  z.strictObject({ type: z.literal('enum'), op: z.literal('in'), value: z.array(z.enum(values)) });
const words = z.strictObject({ type: z.literal('enum'), op: z.literal('in'), value: z.array(z.string()) });
const range = z.strictObject({
  type: z.literal('range'),
  op: z.literal('bt'),
  value: z.tuple([z.number(), z.number()]),
});
const number = z.strictObject({
  type: z.literal('number'),
  op: z.enum(['eq', 'ne', 'gt', 'ge', 'lt', 'le']),
  value: z.number(),
});
const bounds = z.union([range, number]);
const keyed = string.extend({ key: z.string() });

/** The filters that this simulator plays; the service has some more. */
const criteria = z.strictObject({
  agent: z
    .array(z.strictObject({ agent_id: z.string(), version: z.array(z.number()).optional() }))
    .optional(),
  call_id: string.optional(),
  call_status: enumOf(['not_connected', 'ongoing', 'ended', 'error']).optional(),
  call_type: words.optional(),
  direction: words.optional(),
  disconnection_reason: words.optional(),
  from_number: string.optional(),
  to_number: string.optional(),
  start_timestamp: bounds.optional(),
  end_timestamp: bounds.optional(),
  duration_ms: bounds.optional(),
  metadata: z.array(keyed).optional(),
  dynamic_variables: z.array(keyed).optional(),
});

const form = z.strictObject({
  filter_criteria: criteria.optional(),
  include_total: z.boolean().optional(),
  limit: z.number().int().min(1).max(1000).optional(),
  pagination_key: z.string().optional(),
  skip: z.number().int().min(0).optional(),
  sort_order: z.enum(['ascending', 'descending']).optional(),
});

type Criteria = z.output<typeof criteria>;
type Words = { show(world: World, call: Call): Json; invalid(flaws: readonly Flaw[]): Reply };

export function calls(world: World, request: Request, { show, invalid }: Words): Prepared {
  const read = readObject(request.contentType, request.body || '{}');
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const flaws = holdBody(form, read.value, world.settings.strict);
  if (flaws.length > 0) return { refused: invalid(flaws) };
  const wanted = read.value as z.output<typeof form>;
  return {
    phone: null,
    call: null,
    serve() {
      const found = listCalls(world, {}, () => true)
        .map((call) => show(world, call))
        .filter((item) => isWanted(item, wanted.filter_criteria ?? {}));
      if (wanted.sort_order === 'ascending') found.reverse();
      const at = found.findIndex(({ call_id }) => call_id === wanted.pagination_key);
      const from = at + 1 + (wanted.skip ?? 0);
      const until = from + (wanted.limit ?? 50);
      const items = found.slice(from, until);
      const answer = {
        items,
        has_more: until < found.length,
        ...(until < found.length && { pagination_key: items.at(-1)?.call_id }),
        ...(wanted.include_total && { total: found.length }),
      };
      return { reply: json(200, answer), call: null };
    },
  };
}

/** All criteria must hold. */
function isWanted(item: Json, { agent, metadata, dynamic_variables, ...others }: Criteria): boolean {
  if (agent && !agent.some(({ agent_id }) => agent_id === item.agent_id)) return false;
  const holds = (list: typeof metadata, values: unknown) =>
    (list ?? []).every(({ key, ...filter }) => passes(anyObject.catch({}).parse(values)[key], filter));
  if (!holds(metadata, item.metadata)) return false;
  if (!holds(dynamic_variables, item.retell_llm_dynamic_variables)) return false;
  return Object.entries(others).every(([name, filter]) => !filter || passes(item[name], filter));
}

type Filter = z.output<typeof string> | z.output<typeof words> | z.output<typeof bounds>;

function passes(value: unknown, filter: Filter): boolean {
  switch (filter.type) {
    case 'enum':
      return filter.value.includes(value as string);
    case 'range':
      return typeof value === 'number' && value >= filter.value[0] && value <= filter.value[1];
    case 'number': {
      if (typeof value !== 'number') return false;
      const { op, value: than } = filter;
      if (op === 'eq' || op === 'ne') return (value === than) === (op === 'eq');
      return op === 'gt'
        ? value > than
        : op === 'ge'
          ? value >= than
          : op === 'lt'
            ? value < than
            : value <= than;
    }
    default: {
      if (typeof value !== 'string') return filter.op === 'ne';
      if (filter.op === 'sw') return value.startsWith(filter.value);
      if (filter.op === 'ew') return value.endsWith(filter.value);
      if (filter.op === 'co') return value.includes(filter.value);
      return (value === filter.value) === (filter.op === 'eq');
    }
  }
}
