import { z } from 'zod';
import type { ServiceDescription } from './description.ts';
import { meaningOf } from './faults.ts';
import { findPathFault } from './opt-out.ts';
import { normaliseStatus, type Outcome, outcomes } from './outcomes.ts';
import { isObject } from './values.ts';

/** The first form of a profile: names and values that the standard interface leaves open, laid over its description. */
const name = z.string().min(1);
const some = (value: object) => Object.keys(value).length > 0;

const file = z.strictObject({
  /** The object that carries the person; a name that is null is never sent. */
  customer: z
    .strictObject({ field: name, phone: name, name: name.nullable(), variables: name.nullable() })
    .exactPartial()
    .optional(),
  /**
   * The per-call override. It has no `variables` until a profile names them: the interface does not promise the field,
   * and a service may refuse a body with unknown fields.
   */
  override: z.strictObject({ field: name, variables: name.nullable() }).exactPartial().optional(),
  /** What a status means, besides the names in the description or in place of one; null for "still going". */
  statuses: z.record(z.string(), z.enum(outcomes).nullable()).optional(),
  /** The body of the update that cancels a call. */
  cancel: z.record(z.string(), z.unknown()).refine(some).optional(),
  /** The keys of the call's `metadata` under which campaign and attempt are written; null writes nothing. */
  stamp: z
    .strictObject({ campaign: name.exactOptional(), attempt: name.exactOptional() })
    .refine(some)
    .nullish(),
  /** Answers to a create with which the service guarantees that no call was made. */
  createdNothing: z.array(z.int().min(400).max(599)).optional(),
  /** Where a create carries its idempotency key, and for how long the service promises one call under it. */
  idempotency: z
    .strictObject({
      header: name.exactOptional(),
      field: name.exactOptional(),
      holdsSeconds: z.number().positive(),
    })
    .refine(({ header, field }) => (header === undefined) !== (field === undefined))
    .nullish(),
  /** The places in a call's record that say that the person wants no more calls; one match is enough. */
  optOut: z
    .record(z.string(), z.union([z.string().min(1), z.number(), z.boolean()]))
    .refine(some)
    .nullish(),
});
export type Profile = z.output<typeof file>;

const text = 'a non-empty string';
const textOrNull = `${text} or null`;
/** What belongs at a place of the file; a star stands for any name or position. */
const wanted: Record<string, string> = {
  '': 'a JSON object',
  customer: 'an object',
  'customer.*': text,
  'customer.name': textOrNull,
  'customer.variables': textOrNull,
  override: 'an object',
  'override.*': text,
  'override.variables': textOrNull,
  statuses: 'an object of status and outcome',
  'statuses.*': `one of ${outcomes.join(', ')}, or null for "still going"`,
  cancel: 'an object with at least one field',
  stamp: 'null or an object with the metadata keys "campaign" and "attempt", or one of them',
  'stamp.*': text,
  createdNothing: 'a list of HTTP statuses from 400 to 599, such as [503]',
  'createdNothing.*': 'an HTTP status from 400 to 599',
  idempotency: 'null or an object with "header" or "field", which carries the key, and "holdsSeconds"',
  optOut: 'null or an object of path and value, such as {"structured_data.opt_out": true}',
};

const known: Record<string, readonly string[]> = {
  '': Object.keys(file.shape),
  customer: ['field', 'phone', 'name', 'variables'],
  override: ['field', 'variables'],
  stamp: ['campaign', 'attempt'],
  idempotency: ['header', 'field', 'holdsSeconds'],
};

const own = ['customer', 'override', 'statuses', 'cancel', 'createdNothing', 'idempotency', 'optOut'];

/** A file with a field that only this form has, or with none of the second form's fields, is of this form. */
export function isFirstForm(value: unknown): boolean {
  if (!isObject(value)) return true;
  const names = Object.keys(value);
  return names.some((each) => own.includes(each)) || names.every((each) => each in file.shape);
}

export function readProfile(value: unknown): { profile: Profile } | { fault: string } {
  const parsed = file.safeParse(value);
  if (!parsed.success) return { fault: tell(parsed.error.issues[0]!) };
  const fault = findClash(parsed.data);
  return fault === undefined ? { profile: parsed.data } : { fault };
}

function namesIn({ customer, override }: Profile) {
  return {
    customer: { field: 'customer', phone: 'phone_number', name: 'name', variables: null, ...customer },
    override: { field: 'agent_overrides', variables: null, ...override },
  };
}

/** The standard interface's description with these names and values. */
export function describeProfile(standard: ServiceDescription, profile: Profile): ServiceDescription {
  const { cancel, stamp, createdNothing = [], idempotency, optOut } = profile;
  const { customer, override } = namesIn(profile);
  const person: Record<string, string> = { [customer.phone]: '{phone}' };
  if (customer.name !== null) person[customer.name] = '{name}';
  if (customer.variables !== null) person[customer.variables] = '{variables}';
  const changed: Record<string, string> = { $spread: '{override}' };
  if (override.variables !== null) changed[override.variables] = '{variables}';
  // The other statuses already say that nothing was made, and say more: a 429 rests the key.
  const nothing = createdNothing.filter((status) => meaningOf({ status }, true) === 'in-doubt');
  const answers = [
    ...(nothing.length === 0 ? [] : [{ when: { http: nothing }, is: 'nothing-made' as const }]),
    ...(idempotency ? [{ when: { '/reason': 'idempotency_key_reuse' }, is: 'key-spent' as const }] : []),
  ];
  return {
    ...standard,
    create: {
      ...standard.create,
      body: {
        agent_id: '{agent}',
        [customer.field]: person,
        from_number: '{from}',
        phone_number_id: '{from.id}',
        [override.field]: changed,
        ...(idempotency?.field && { [idempotency.field]: '{idempotency_key}' }),
      },
      ...(idempotency?.header && { headers: { [idempotency.header]: '{idempotency_key}' } }),
      ...(idempotency && { key_holds_seconds: idempotency.holdsSeconds }),
      ...(answers.length > 0 && { answers }),
    },
    get: { ...standard.get, rules: rulesOf(standard, profile.statuses) },
    // Replaced as a whole: a service whose field is not `status` must not be sent both.
    hang_up: { ...standard.hang_up!, ...(cancel && { body: cancel }) },
    ...(stamp && { stamp }),
    ...(optOut && { opt_out: optOut }),
  };
}

/**
 * A name that some service uses while people still talk (`answered`, `forwarding`, `processing`, `call-disconnected`,
 * `machine`, ...) is left out of the standard description on purpose: polling a little longer is cheap, treating a live
 * call as ended is not.
 */
function rulesOf({ get }: ServiceDescription, changed: Profile['statuses'] = {}) {
  const statuses = new Map<string, Outcome | null>(
    get.rules.flatMap(({ when, is }) =>
      [when['/status']].flat().map((each) => [String(each), is as Outcome]),
    ),
  );
  for (const [status, outcome] of Object.entries(changed)) statuses.set(normaliseStatus(status), outcome);
  return outcomes.flatMap((outcome) => {
    const names = [...statuses].flatMap(([status, is]) => (is === outcome ? [status] : []));
    return names.length === 0 ? [] : [{ when: { '/status': names }, is: outcome }];
  });
}

/** Two equal names would silently overwrite each other in the body. */
function findClash(profile: Profile): string | undefined {
  const { customer, override } = namesIn(profile);
  const field = profile.idempotency?.field;
  const top = ['agent_id', 'phone_number_id', 'from_number'];
  if (top.includes(customer.field))
    return `customer.field must not be ${customer.field}: the interface uses it`;
  if ([...top, customer.field].includes(override.field))
    return `override.field must not be ${override.field}: another field of the body has that name`;
  if (field && [...top, customer.field, override.field].includes(field))
    return `idempotency.field must not be ${field}: another field of the body has that name`;
  if (customer.name === customer.phone) return 'customer.name must differ from customer.phone';
  if (customer.variables !== null && [customer.phone, customer.name].includes(customer.variables))
    return 'customer.variables must differ from customer.phone and customer.name';
  for (const path of Object.keys(profile.optOut ?? {})) {
    const fault = findPathFault(path);
    if (fault !== null) return `optOut: "${path}" ${fault}`;
  }
  return undefined;
}

function tell(issue: z.core.$ZodIssue): string {
  const [first = '', ...rest] = issue.path.map(String);
  const path = [first, ...rest].join('.');
  if (issue.code === 'unrecognized_keys') {
    const has = `${path ? `${path} has` : 'it has'} ${known[path]?.join(', ')}`;
    return `${path ? `${path}.` : ''}${issue.keys[0]} is not a field of a profile; ${has}`;
  }
  return `${path || 'the file'} must be ${wanted[path] ?? wanted[`${first}.*`] ?? wanted[first]}`;
}
