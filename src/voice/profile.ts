import { z } from 'zod';
import type { ServiceDescription } from './description.ts';
import { meaningOf } from './faults.ts';
import { findPathFault } from './opt-out.ts';
import { endedStatuses, normaliseStatus, type Outcome, outcomes } from './outcomes.ts';
import { freeze, isObject } from './values.ts';

/** The first form of a profile: names and values that the standard interface leaves open, laid over its description. */
export type Profile = Readonly<{
  /** The object that carries the person; a name that is null is never sent. */
  customer: Readonly<{ field: string; phone: string; name: string | null; variables: string | null }>;
  /**
   * The per-call override. Its `variables` is null until a profile names it: the interface does not
   * promise the field, and a service may refuse a body with unknown fields.
   */
  override: Readonly<{ field: string; variables: string | null }>;
  /** Ended statuses, normalised; any other means "still going". */
  statuses: Readonly<Record<string, Outcome>>;
  /** The body of the update that cancels a call. */
  cancel: Readonly<Record<string, unknown>>;
  /** The keys of the call's `metadata` under which campaign and attempt are written; null writes nothing. */
  stamp: Readonly<{ campaign?: string; attempt?: string }> | null;
  /** Answers to a create with which the service guarantees that no call was made. */
  createdNothing: readonly number[];
  /** Where a create carries its idempotency key, and for how long the service promises one call under it. */
  idempotency: Readonly<{ header?: string; field?: string; holdsSeconds: number }> | null;
  /** The places in a call's record that say that the person wants no more calls; one match is enough. */
  optOut: Readonly<Record<string, string | number | boolean>>;
}>;

export const defaultProfile: Profile = freeze({
  customer: { field: 'customer', phone: 'phone_number', name: 'name', variables: null },
  override: { field: 'agent_overrides', variables: null },
  statuses: { ...endedStatuses },
  cancel: { status: 'canceled' },
  stamp: null,
  createdNothing: [],
  idempotency: null,
  optOut: {},
});

const nameText = 'a non-empty string';
const nullableText = 'a non-empty string or null';
const recordText = 'an object with at least one field';
const stampText = 'null or an object with the metadata keys "campaign" and "attempt", or one of them';
const codesText = 'a list of HTTP statuses from 400 to 599, such as [503]';
const codeText = 'an HTTP status from 400 to 599';
const idempotencyText =
  'null or an object with "header" or "field", which carries the key, and "holdsSeconds"';
const optOutText = 'null or an object of path and value, such as {"structured_data.opt_out": true}';
const outcomeText = `one of ${outcomes.join(', ')}, or null for "still going"`;

const name = z.string({ error: nameText }).min(1, { error: nameText });
const nameOrNull = z.string({ error: nullableText }).min(1, { error: nullableText }).nullable();
const hasFields = (value: object) => Object.keys(value).length > 0;

const customer = z.strictObject(
  { field: name, phone: name, name: nameOrNull, variables: nameOrNull },
  { error: 'an object' },
);
const override = z.strictObject({ field: name, variables: nameOrNull }, { error: 'an object' });
const stamp = z
  .strictObject({ campaign: name.exactOptional(), attempt: name.exactOptional() }, { error: stampText })
  .refine(hasFields, { error: stampText });
const idempotency = z
  .strictObject(
    {
      header: name.exactOptional(),
      field: name.exactOptional(),
      holdsSeconds: z.number({ error: idempotencyText }).positive({ error: idempotencyText }),
    },
    { error: idempotencyText },
  )
  .refine(({ header, field }) => (header === undefined) !== (field === undefined), {
    error: idempotencyText,
  });

const file = z.strictObject(
  {
    customer: customer.exactPartial().optional(),
    override: override.exactPartial().optional(),
    statuses: z
      .record(z.string(), z.enum(outcomes, { error: outcomeText }).nullable(), {
        error: 'an object of status and outcome',
      })
      .optional(),
    cancel: z
      .record(z.string(), z.unknown(), { error: recordText })
      .refine(hasFields, { error: recordText })
      .optional(),
    stamp: stamp.nullish(),
    createdNothing: z
      .array(z.int({ error: codeText }).min(400, { error: codeText }).max(599, { error: codeText }), {
        error: codesText,
      })
      .optional(),
    idempotency: idempotency.nullish(),
    optOut: z
      .record(z.string(), z.union([z.string().min(1), z.number(), z.boolean()], { error: optOutText }), {
        error: optOutText,
      })
      .refine(hasFields, { error: optOutText })
      .nullish(),
  },
  { error: 'a JSON object' },
);

const known: Record<string, readonly string[]> = {
  '': Object.keys(file.shape),
  customer: Object.keys(customer.shape),
  override: Object.keys(override.shape),
  stamp: ['campaign', 'attempt'],
  idempotency: ['header', 'field', 'holdsSeconds'],
};

/** A file with a field that only this form has, or with none of the second form's fields, is of this form. */
export function isFirstForm(value: unknown): boolean {
  if (!isObject(value)) return true;
  const names = Object.keys(value);
  return names.some((name) => own.includes(name)) || names.every((name) => name in file.shape);
}

const own = ['customer', 'override', 'statuses', 'cancel', 'createdNothing', 'idempotency', 'optOut'];

/** Defaults fill what the file leaves out. */
export function readProfile(value: unknown): { profile: Profile } | { fault: string } {
  const parsed = file.safeParse(value);
  if (!parsed.success) return { fault: tell(parsed.error.issues[0]!) };
  const profile = merge(parsed.data);
  const clash = findClash(profile);
  return clash ? { fault: clash } : { profile };
}

/** The standard interface's description with these names and values. */
export function describeProfile(standard: ServiceDescription, profile: Profile): ServiceDescription {
  const { customer, override, cancel, stamp, createdNothing, idempotency, optOut } = profile;
  const person: Record<string, string> = { [customer.phone]: '{phone}' };
  if (customer.name !== null) person[customer.name] = '{name}';
  if (customer.variables !== null) person[customer.variables] = '{variables}';
  const changed: Record<string, string> = { $spread: '{override}' };
  if (override.variables !== null) changed[override.variables] = '{variables}';
  const statuses = Object.entries(profile.statuses);
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
        ...(idempotency?.field ? { [idempotency.field]: '{idempotency_key}' } : {}),
      },
      ...(idempotency?.header ? { headers: { [idempotency.header]: '{idempotency_key}' } } : {}),
      ...(idempotency ? { key_holds_seconds: idempotency.holdsSeconds } : {}),
      ...(answers.length === 0 ? {} : { answers }),
    },
    get: {
      ...standard.get,
      rules: outcomes.flatMap((outcome) => {
        const names = statuses.flatMap(([name, is]) => (is === outcome ? [name] : []));
        return names.length === 0 ? [] : [{ when: { '/status': names }, is: outcome }];
      }),
    },
    hang_up: { ...standard.hang_up!, body: { ...cancel } },
    ...(stamp ? { stamp } : {}),
    ...(Object.keys(optOut).length === 0 ? {} : { opt_out: optOut }),
  };
}

function merge(given: z.infer<typeof file>): Profile {
  const statuses: Record<string, Outcome> = { ...defaultProfile.statuses };
  for (const [status, outcome] of Object.entries(given.statuses ?? {})) {
    if (outcome === null) delete statuses[normaliseStatus(status)];
    else statuses[normaliseStatus(status)] = outcome;
  }
  return {
    customer: { ...defaultProfile.customer, ...given.customer },
    override: { ...defaultProfile.override, ...given.override },
    statuses,
    // Replaced as a whole: a service whose field is not `status` must not be sent both.
    cancel: given.cancel ?? { ...defaultProfile.cancel },
    stamp: given.stamp ?? null,
    createdNothing: given.createdNothing ?? [],
    idempotency: given.idempotency ?? null,
    optOut: given.optOut ?? {},
  };
}

/** Two equal names would silently overwrite each other in the body. */
function findClash({ customer, override, idempotency, optOut }: Profile): string | undefined {
  const top = ['agent_id', 'phone_number_id', 'from_number'];
  if (top.includes(customer.field))
    return `customer.field must not be ${customer.field}: the interface uses it`;
  if ([...top, customer.field].includes(override.field)) {
    return `override.field must not be ${override.field}: another field of the body has that name`;
  }
  if (idempotency?.field && [...top, customer.field, override.field].includes(idempotency.field)) {
    return `idempotency.field must not be ${idempotency.field}: another field of the body has that name`;
  }
  if (customer.name === customer.phone) return 'customer.name must differ from customer.phone';
  if (customer.variables !== null && [customer.phone, customer.name].includes(customer.variables)) {
    return 'customer.variables must differ from customer.phone and customer.name';
  }
  for (const path of Object.keys(optOut)) {
    const fault = findPathFault(path);
    if (fault !== null) return `optOut: "${path}" ${fault}`;
  }
  return undefined;
}

function tell(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0]!;
    return `${path ? `${path}.` : ''}${key} is not a field of a profile; ${path ? `${path} has` : 'it has'} ${known[path]?.join(', ')}`;
  }
  return `${path || 'the file'} must be ${issue.message}`;
}
