import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CarillonError } from '../base/errors.ts';
import { findPathFault, type OptOutRule } from './opt-out.ts';
import { endedStatuses, normaliseStatus, type Outcome, outcomes } from './outcomes.ts';

export type { Outcome } from './outcomes.ts';

/** The names and values that the interface leaves open, as this service uses them. */
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
  /** Where a call's record says that the person wants no more calls; one of them is enough. */
  optOut: readonly OptOutRule[];
}>;

export type CallInput = Readonly<{
  agentId: string;
  phone: string;
  name?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
  /** The settings of its agent that this call overrides. */
  override?: Readonly<Record<string, unknown>> | null | undefined;
  from?: Caller | null | undefined;
}>;

/** The number to call from: in E.164, or as the service's id of it. */
export type Caller = Readonly<{ number: string } | { numberId: string }>;

export const defaultProfile: Profile = freeze({
  customer: { field: 'customer', phone: 'phone_number', name: 'name', variables: null },
  override: { field: 'agent_overrides', variables: null },
  statuses: { ...endedStatuses },
  cancel: { status: 'canceled' },
  stamp: null,
  createdNothing: [],
  optOut: [],
});

const nameText = 'a non-empty string';
const nullableText = 'a non-empty string or null';
const recordText = 'an object with at least one field';
const stampText = 'null or an object with the metadata keys "campaign" and "attempt", or one of them';
const codesText = 'a list of HTTP statuses from 400 to 599, such as [503]';
const codeText = 'an HTTP status from 400 to 599';
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
};

/** Reads the profile file once; defaults fill what it leaves out. */
export function loadProfile(path: string | undefined): Profile {
  if (path === undefined) return defaultProfile;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw wrong(
      path,
      missing ? 'the file does not exist' : `the file cannot be read: ${(error as Error).message}`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw wrong(path, `the file is not JSON: ${(error as Error).message.replace(/\s+/g, ' ')}`);
  }
  const parsed = file.safeParse(value);
  if (!parsed.success) throw wrong(path, tell(parsed.error.issues[0]!));
  const profile = merge(parsed.data);
  const clash = findClash(profile);
  if (clash) throw wrong(path, clash);
  return freeze(profile);
}

/** How a status ended, or null while the call is still going. */
export function outcomeOf(profile: Profile, status: string | null | undefined): Outcome | null {
  if (!status) return null;
  const name = normaliseStatus(status);
  return Object.hasOwn(profile.statuses, name) ? profile.statuses[name]! : null;
}

/** Contains only what the interface names, unless the profile asks for more. */
export function buildCreateBody(profile: Profile, input: CallInput): Record<string, unknown> {
  const { customer, override } = profile;
  const variables = input.variables && Object.keys(input.variables).length > 0 ? input.variables : undefined;
  const person: Record<string, unknown> = { [customer.phone]: input.phone };
  if (input.name && customer.name !== null) person[customer.name] = input.name;
  if (variables && customer.variables !== null) person[customer.variables] = variables;
  const body: Record<string, unknown> = { agent_id: input.agentId, [customer.field]: person };
  if (input.from) {
    if ('number' in input.from) body.from_number = input.from.number;
    else body.phone_number_id = input.from.numberId;
  }
  const changed = overrideOf(profile, variables, input.override ?? {});
  if (Object.keys(changed).length > 0) body[override.field] = changed;
  return body;
}

/** The order's override, with the row's variables laid over what it says about the same names. */
function overrideOf(
  { override: { variables: name } }: Profile,
  variables: CallInput['variables'],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (!variables || name === null) return { ...given };
  const general = given[name];
  const isObject = typeof general === 'object' && general !== null && !Array.isArray(general);
  return { ...given, [name]: isObject ? { ...general, ...variables } : variables };
}

export function cancelBody(profile: Profile): Record<string, unknown> {
  return { ...profile.cancel };
}

/** The update that writes campaign and attempt into the call's metadata; null if the profile does not ask for it. */
export function stampBody(
  { stamp }: Profile,
  ids: { campaign: string; attempt: string },
): Record<string, unknown> | null {
  if (!stamp) return null;
  const metadata: Record<string, string> = {};
  if (stamp.campaign !== undefined) metadata[stamp.campaign] = ids.campaign;
  if (stamp.attempt !== undefined) metadata[stamp.attempt] = ids.attempt;
  return { metadata };
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
    optOut: Object.entries(given.optOut ?? {}).map(([path, value]) => ({ path, value: String(value) })),
  };
}

/** Two equal names would silently overwrite each other in the body. */
function findClash({ customer, override, optOut }: Profile): string | undefined {
  const top = ['agent_id', 'phone_number_id', 'from_number'];
  if (top.includes(customer.field))
    return `customer.field must not be ${customer.field}: the interface uses it`;
  if ([...top, customer.field].includes(override.field)) {
    return `override.field must not be ${override.field}: another field of the body has that name`;
  }
  if (customer.name === customer.phone) return 'customer.name must differ from customer.phone';
  if (customer.variables !== null && [customer.phone, customer.name].includes(customer.variables)) {
    return 'customer.variables must differ from customer.phone and customer.name';
  }
  for (const { path } of optOut) {
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

function wrong(path: string, why: string): CarillonError {
  return new CarillonError('config-invalid', `VOICE_PROFILE ${path}: ${why}`, {
    remedy: 'Correct the path or the file; docs/reference/voice-client.md explains every field.',
  });
}

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (part && typeof part === 'object') freeze(part);
  return Object.freeze(value);
}
