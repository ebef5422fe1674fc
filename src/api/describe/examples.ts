import type { Components, JsonSchema } from './schema.ts';

/** An example for each schema, built from one for each field, so that every operation has one. */
const byName: Readonly<Record<string, unknown>> = {
  id: '0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55',
  agent: 'agent_123',
  agent_id: 'agent_123',
  agents: ['agent_123'],
  attempt: '0198d5a2-8f00-7c11-8a4b-51c2a9f0b3d4',
  call_id: 'call_81f2',
  campaign: 'spring',
  at: '2026-12-01T15:04:05.000Z',
  citation: '47 CFR 64.1200(c)(1)',
  code: 'key-denied',
  contact_id: 'contact_7',
  cost: 0.12,
  country: 'US',
  days: 'mon-fri',
  detail: 'the service did not answer',
  digest: '9f2c4e',
  direction: 'outbound',
  duration: 42,
  error: null,
  from: '+14155550100',
  holidays: 'US',
  input: { phone: '+14155550123', name: 'Ann' },
  key: 'main',
  metadata: { order: '1017' },
  name: 'Ann',
  next: null,
  not_on: ['2026-12-25'],
  number_id: 'number_1',
  org_id: 'org_5',
  opt_out: 'structured_data.opt_out=true',
  outcome: 'answered',
  override: { voice: 'calm' },
  phone: '+14155550123',
  phones: ['+14155550123'],
  provider_call_sid: 'CA1',
  reason: null,
  recipient: '1017',
  recording_url: 'https://service.example/recordings/81f2',
  result_delay: '3s',
  retry: { 'no-answer': '30m/2h' },
  retry_when: 'same',
  row: 1,
  service: 'https://service.example/v1',
  source: 'api',
  status: 'completed',
  stop_at: '50%/2m',
  structured_data: { booked: true },
  timezone: 'America/New_York',
  timezones: ['America/New_York'],
  transcript: 'Hello, this is ...',
  url: 'https://example.com/hook',
  variables: { order: 1017 },
  window: '09:00-20:00',
};

/** The named one if it fits the schema, else one of the schema's own kind. */
export function exampleOf(schema: JsonSchema, components: Components, name?: string): unknown {
  const whole = resolve(schema, components);
  if (Array.isArray(whole.examples) && whole.examples.length > 0) return whole.examples[0];
  if ('const' in whole) return whole.const;
  const known = name !== undefined && Object.hasOwn(byName, name) ? byName[name] : undefined;
  if (known !== undefined && fits(known, whole, components)) return known;
  if (Array.isArray(whole.enum)) return whole.enum[0];
  if ('default' in whole) return whole.default;
  const [first] = (whole.anyOf ?? whole.oneOf ?? []) as JsonSchema[];
  if (first) return exampleOf(first, components, name);
  return ofKind(whole, components);
}

function ofKind(schema: JsonSchema, components: Components): unknown {
  switch (kindsOf(schema)[0]) {
    case 'object': {
      const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
      return Object.fromEntries(fields.map(([field, part]) => [field, exampleOf(part, components, field)]));
    }
    case 'array':
      return schema.items ? [exampleOf(schema.items as JsonSchema, components)] : [];
    case 'string':
      return ofFormat(schema.format);
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema.minimum ?? 1));
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'anything';
  }
}

function ofFormat(format: unknown): string {
  if (format === 'date-time') return '2026-12-01T15:04:05.000Z';
  if (format === 'uuid') return '0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55';
  return 'text';
}

/** Checks only the kind and the values of an enumeration: a test validates whole examples. */
function fits(value: unknown, schema: JsonSchema, components: Components): boolean {
  const whole = resolve(schema, components);
  const choices = (whole.anyOf ?? whole.oneOf) as JsonSchema[] | undefined;
  if (choices) return choices.some((each) => fits(value, each, components));
  if (Array.isArray(whole.enum)) return whole.enum.includes(value);
  if (whole.format === 'uuid') return typeof value === 'string' && value.length === 36;
  const kinds = kindsOf(whole);
  if (kinds.length === 0) return true;
  if (Number.isInteger(value) && kinds.includes('integer')) return true;
  if (Array.isArray(value) && whole.items)
    return (
      kinds.includes('array') && value.every((each) => fits(each, whole.items as JsonSchema, components))
    );
  return kinds.includes(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
}

function kindsOf({ type }: JsonSchema): string[] {
  return type === undefined ? [] : ([type].flat() as string[]);
}

function resolve(schema: JsonSchema, components: Components): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return components.get($ref.slice($ref.lastIndexOf('/') + 1)) ?? {};
}
