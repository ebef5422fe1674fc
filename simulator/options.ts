/** The form of every option and every change, and the one-line messages for a wrong one. */
import { z } from 'zod';
import { CarillonError } from '../src/base/errors.ts';
import { fates } from './fates.ts';
import { type FaultKind, type FaultRule, faultKinds, isMark, operations } from './faults.ts';
import { limiterKinds } from './limits.ts';
import {
  blockedForms,
  defaultOptions,
  endedStatuses,
  liveStatuses,
  refuseForms,
  retryAfterForms,
  type ServiceName,
  type Settings,
  type SimulatorOptions,
  serviceNames,
  undialledBy,
} from './settings.ts';
import { isObject } from './shape.ts';

const headerSafe = z.string().regex(/^[\x21-\x7e]+$/);
const word = z.string().min(1);
const e164 = z.string().regex(/^\+[1-9]\d{6,14}$/);
const fate = z.enum(fates);
const fateChoice = z.union([fate, z.array(fate).min(1)]);
const above0 = z.number().positive().finite();
const whole = z.number().int().min(1);
const ms = z.number().min(0).max(86_400_000);

const timed: readonly FaultKind[] = ['hang', 'slow', 'late-transcript', 'late-record'];
const placed: readonly FaultKind[] = ['error', 'reset', 'hang', 'html', 'redirect'];
const statusRange: Partial<Record<FaultKind, [number, number]>> = {
  error: [400, 599],
  html: [400, 599],
  redirect: [300, 399],
};

const fault: z.ZodType<FaultRule> = z
  .strictObject({
    kind: z.enum(faultKinds),
    on: z.enum([...operations, 'all']).exactOptional(),
    probability: z.number().min(0).max(1).exactOptional(),
    next: z.number().int().min(0).exactOptional(),
    at: z.array(whole).min(1).exactOptional(),
    phone: z
      .string()
      .regex(/^\+?\d+$/)
      .exactOptional(),
    when: z.enum(['before', 'after']).exactOptional(),
    status: z.number().int().exactOptional(),
    ms: ms.exactOptional(),
  })
  .superRefine((rule, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const chosen = (['probability', 'next', 'at'] as const).filter((name) => rule[name] !== undefined);
    if (chosen.length > 1) refuse(chosen[1]!, `cannot be combined with ${chosen[0]}: give one of the two`);
    const range = statusRange[rule.kind];
    if (rule.status !== undefined && !range) refuse('status', `does not apply to ${rule.kind}`);
    else if (rule.status !== undefined && range && (rule.status < range[0] || rule.status > range[1])) {
      refuse('status', `must be ${range[0]} to ${range[1]} for ${rule.kind}`);
    }
    if (rule.ms !== undefined && !timed.includes(rule.kind)) refuse('ms', `does not apply to ${rule.kind}`);
    if (rule.when && !placed.includes(rule.kind)) refuse('when', `cannot be chosen for ${rule.kind}`);
    if (isMark(rule.kind) && rule.on && rule.on !== 'create') refuse('on', `must be create for ${rule.kind}`);
    const ofCreates = rule.kind === 'same-id' || rule.kind === 'undialled';
    if (ofCreates && rule.on && rule.on !== 'create') refuse('on', `must be create for ${rule.kind}`);
    if (rule.phone !== undefined && (rule.on === 'list' || rule.on === 'calls')) {
      refuse('phone', `does not apply to ${rule.on}`);
    }
  });

/** The options that may be changed while the service runs. */
const changeable = {
  agents: z.union([z.literal('any'), z.array(word)]),
  unknownAgents: z.array(word),
  rate: z.union([above0.max(1_000_000), z.null()]),
  limiter: z.enum(limiterKinds),
  burst: z.union([whole, z.null()]),
  windowMs: whole.max(86_400_000),
  retryAfter: z.enum(retryAfterForms),
  concurrency: z.union([z.number().int().min(0), z.null()]),
  inbound: z.number().int().min(0),
  credits: z.union([z.number().min(0), z.null()]),
  speed: above0.max(1_000_000),
  latencyMs: z.union([ms, z.tuple([ms, ms]).refine(([from, to]) => from <= to)]),
  shares: z
    .partialRecord(fate, z.number().min(0))
    .refine((shares) => Object.values(shares).some((share) => share > 0)),
  phones: z.record(e164, fateChoice),
  endings: z.record(z.string().regex(/^\d+$/), fateChoice),
  trusted: z.record(z.string().min(1), z.number().min(0).max(1)),
  refused: z.array(e164),
  faults: z.array(fault),
  callbacks: z.union([z.strictObject({ share: z.number().min(0).max(1), afterMs: ms }), z.null()]),
  listLagMs: ms,
  idempotencyMs: z.union([ms, z.null()]),
  blocked: z.enum(blockedForms),
  refuseBy: z.enum(refuseForms),
};

const fixed = {
  service: z.enum(serviceNames),
  host: word,
  port: z.number().int().min(0).max(65_535),
  keepAliveMs: ms,
  keys: z.union([z.literal('any'), z.array(headerSafe).min(1)]),
  numbers: z.array(
    z.union([e164, z.strictObject({ id: word, phone_number: e164, label: z.string().optional() })]),
  ),
  creditUnit: z.enum(['calls', 'money']),
  pricePerMinute: z.number().min(0),
  billing: z.enum(['minute', 'second']),
  seed: z.number().int(),
  strict: z.boolean(),
  customer: z.strictObject({
    field: word.optional(),
    phone: word.optional(),
    name: word.optional(),
    variables: word.nullish().transform((name) => name ?? null),
  }),
  override: word,
  statuses: z.partialRecord(z.enum([...liveStatuses, ...endedStatuses]), word),
  createStatus: z.union([z.literal(200), z.literal(201)]),
  journalLimit: z.number().int().min(8192),
  journalFile: z.union([word, z.null()]),
};

/** The acts that a change can hold besides setting options. */
const acts = {
  addCredits: z.number(),
  addFaults: z.array(fault),
  revokeKeys: z.array(z.union([z.number().int().min(0), headerSafe])),
  restoreKeys: z.array(z.union([z.number().int().min(0), headerSafe])),
};

const wanted: Record<keyof Settings | keyof typeof acts, string> = {
  service: `one of ${serviceNames.join(', ')}`,
  host: 'a host name or address',
  port: 'a number from 0 to 65535',
  keepAliveMs: 'a number of milliseconds',
  keys: '"any" or a list of secrets that are valid in an HTTP header',
  agents: '"any" or a list of agent ids',
  unknownAgents: 'a list of agent ids',
  numbers: 'a list of E.164 numbers, or of {id, phone_number}',
  rate: 'a number of requests a second above 0, or null for no limit',
  limiter: `one of ${limiterKinds.join(', ')}`,
  burst: 'a whole number of 1 or more, or null',
  windowMs: 'a whole number of milliseconds, 1 to 86400000',
  retryAfter: `one of ${retryAfterForms.join(', ')}`,
  concurrency: 'a whole number of calls, or null for no cap',
  inbound: 'a whole number of calls',
  credits: 'a number of 0 or more, or null for unlimited credit',
  creditUnit: 'one of calls, money',
  pricePerMinute: 'a number of 0 or more',
  billing: 'one of minute, second',
  seed: 'a whole number',
  speed: 'a number above 0, at most 1000000',
  latencyMs: 'a number of milliseconds, or a range [from, to]',
  shares: `weights of 0 or more, one of them above 0, for ${fates.join(', ')}`,
  phones: `E.164 numbers with a fate each (${fates.join(', ')}) or a list of fates`,
  endings: `last digits with a fate each (${fates.join(', ')}) or a list of fates`,
  trusted: 'caller numbers with a share from 0 to 1 each',
  refused: 'a list of E.164 numbers',
  faults: `a list of faults of the kinds ${faultKinds.join(', ')}`,
  callbacks: 'a {share, afterMs}, a share from 0 to 1 and milliseconds, or null',
  listLagMs: 'a number of milliseconds',
  idempotencyMs: 'a number of milliseconds, or null',
  blocked: `one of ${blockedForms.join(', ')}`,
  refuseBy: `one of ${refuseForms.join(', ')}`,
  strict: 'true or false',
  customer: 'an object of the names field, phone, name and variables',
  override: 'a name',
  statuses: 'an object of statuses with the words to use for them',
  createStatus: '200 or 201',
  journalLimit: 'a whole number of 8192 or more',
  journalFile: 'a path, or null',
  addCredits: 'a number',
  addFaults: `a list of faults of the kinds ${faultKinds.join(', ')}`,
  revokeKeys: 'a list of keys, each by its index or its secret',
  restoreKeys: 'a list of keys, each by its index or its secret',
};

const optionsSchema = z.strictObject({ ...changeable, ...fixed }).partial();
const changeSchema = z.strictObject({ ...changeable, ...acts }).partial();

export type Change = Partial<
  Pick<Settings, keyof typeof changeable> & {
    addCredits: number;
    addFaults: readonly FaultRule[];
    revokeKeys: readonly (number | string)[];
    restoreKeys: readonly (number | string)[];
  }
>;

/** Returns the settings, or throws one line that names the wrong option. */
export function validateOptions(options: unknown): Settings {
  const given = check(optionsSchema, options, 'option') as SimulatorOptions;
  const settings = {
    ...defaultOptions,
    ...given,
    customer: { ...defaultOptions.customer, ...given.customer },
  };
  checkFaults(settings.service, settings.faults, 'option');
  return settings;
}

export function checkChange(service: ServiceName, change: unknown): Change {
  const given = check(changeSchema, change, 'part') as Change;
  checkFaults(service, [...(given.faults ?? []), ...(given.addFaults ?? [])], 'part');
  return given;
}

/** Refuses faults that this service cannot have. */
function checkFaults(service: ServiceName, faults: readonly FaultRule[], what: string): void {
  const at = undialledBy.includes(service) ? -1 : faults.findIndex(({ kind }) => kind === 'undialled');
  if (at < 0) return;
  const who = undialledBy.join(', ');
  throw wrong(`faults[${at}].kind undialled needs a service that answers so: ${who}`, what);
}

export function wrong(problem: string, what: string): CarillonError {
  return new CarillonError('usage-invalid', `simulator: ${problem}`, {
    remedy: `Correct the ${what} named above.`,
  });
}

function check(schema: z.ZodType, input: unknown, what: string): unknown {
  // An option that the command line leaves unset arrives as undefined and counts as absent.
  const given = isObject(input)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    : input;
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw wrong(tell(parsed.error.issues[0]!), what);
  return parsed.data;
}

function tell(issue: z.core.$ZodIssue): string {
  const [name, ...inside] = issue.path.map(String);
  const where = [name, ...inside.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))].join('');
  if (issue.code === 'unrecognized_keys') {
    return `${where ? `${where} does` : 'options do'} not include ${issue.keys.join(', ')}`;
  }
  if (!name) return 'the options are not an object';
  if (issue.code === 'custom' && inside.length > 0) return `${where} ${issue.message}`;
  // The value is not repeated: it may be a secret. A nested value gets the same words.
  const words = wanted[name as keyof typeof wanted];
  return inside.length === 0 ? `${name} is not ${words}` : `${where} is wrong: ${name} must be ${words}`;
}
