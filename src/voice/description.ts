import { z } from 'zod';
import { outcomes } from './outcomes.ts';
import { pointerForm } from './pointer.ts';

/**
 * A service as data: how it is asked, and what its answers mean. It has no expressions and no code: if these words
 * cannot say something, a word is missing.
 */
const pointer = z.string().regex(pointerForm, 'a pointer such as /call/id, or "" for the whole');
const pointers = z.union([pointer, z.array(pointer).min(1)]);
const node = z.unknown();
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const test = z.union([
  scalar,
  z.array(scalar).min(1),
  z.strictObject({ present: z.boolean() }),
  z.strictObject({ older_than: z.number().positive() }),
  z.strictObject({ over: z.number() }),
]);
const when = z
  .record(z.string(), test)
  .describe(
    'Places in the answer, and what must be there. Besides pointers, `http` is the status and `says` the message.',
  );

/** The meanings of an answer that did not bring what was asked for. */
export const meanings = [
  'refused',
  'person',
  'later',
  'no-room',
  'no-credit',
  'denied',
  'missing',
  'nothing-made',
  'in-doubt',
  'key-spent',
] as const;
export type Meaning = (typeof meanings)[number];
const answer = z.strictObject({ when, is: z.enum(meanings) });
const answers = z
  .array(answer)
  .describe(
    'Tried in their order before the common ones (429 later, 402 no credit, 401 and 403 denied, other 4xx refused, the rest in doubt).',
  );

export const stages = ['live', 'no-room', 'no-credit', ...outcomes] as const;
const rule = z.strictObject({ when, is: z.enum(stages), unknown: z.literal(true).optional() });

const reading = z.strictObject({
  at: pointers,
  times: z.number().optional().describe('A number is multiplied by this: 0.01 makes dollars of cents.'),
  map: z.record(z.string(), z.string()).optional(),
});
const field = z
  .union([pointers, reading, z.array(reading).min(1)])
  .describe('The first place that holds something.');
const cost = z.strictObject({
  at: pointers,
  times: z.number().optional(),
  currency: z.union([z.string().regex(/^[A-Z]{3}$/), z.strictObject({ at: pointers }), z.null()]),
});
const transcript = z.union([
  pointers,
  z.strictObject({
    turns: pointer,
    who: pointer,
    says: pointer,
    names: z.record(z.string(), z.string()).optional(),
  }),
]);
const recording = z.union([
  pointers,
  z.strictObject({ path: z.string(), when: when.optional() }).describe('Fetched by a request with the key.'),
]);
const fields = z.strictObject({
  id: pointers,
  status: field.optional(),
  phone: field.optional(),
  ended_reason: field.optional(),
  started_at: field.optional(),
  ended_at: field.optional().describe('If missing, it is computed from the start and the duration.'),
  duration: field.optional().describe('Seconds. If missing, it is computed from the two times.'),
  cost: cost.optional(),
  transcript: transcript.optional(),
  recording_url: recording.optional(),
  structured_data: field.optional(),
  provider_call_sid: field.optional(),
  direction: field.optional(),
  contact_id: field.optional(),
  org_id: field.optional(),
  agent_id: field.optional().describe('The service’s name for the agent that spoke.'),
  metadata: field.optional(),
  stamp: field.optional(),
});

const request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']),
  path: z.string().regex(/^\//),
  query: z.record(z.string(), node).optional(),
  headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/), z.string()).optional(),
  body: node.optional(),
  answers: answers.optional(),
});
const next = z.union([
  z.strictObject({ cursor: pointer, more: pointer.optional() }),
  z.strictObject({ offset: z.literal(true) }),
  z.strictObject({ page: z.literal(true), more: pointer.optional() }),
  z.strictObject({ before: pointer }),
]);
const list = request.extend({
  items: pointer,
  limit: z.int().positive().optional().describe('The items on a page; a page with fewer is the last.'),
  next: next.optional(),
});

/** Abilities that a service has or lacks. */
export const abilities = [
  'find',
  'hang_up',
  'numbers',
  'agents',
  'webhook',
  'transcripts',
  'recordings',
  'costs',
  'live_calls',
] as const;
/** Subjects on which a description says what the service publishes. */
export const subjects = [...abilities, 'dials_later', 'limits'] as const;
const fact = z.strictObject({
  says: z.string().optional().describe('How far it holds, where a plain yes or no says too little.'),
  source: z.string().describe('Where it was read.'),
});
export const facts = z.partialRecord(z.enum(subjects), fact);

export const description = z.strictObject({
  title: z.string(),
  base_url: z.url().nullable().describe('Null where each user has an address of their own.'),
  sources: z.array(z.string()).optional(),
  read_on: z.iso.date().optional(),
  verified: z.string().optional(),
  unverified: z.string().optional(),
  facts: facts.optional(),
  auth: z.strictObject({ header: z.string(), value: z.string() }),
  timeout_ms: z.int().positive().max(600_000).optional(),
  queue_seconds: z
    .number()
    .positive()
    .max(3_600)
    .optional()
    .describe('How long after a create it may dial; nobody whose hours end sooner is called.'),
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).optional(),
  limits: z
    .strictObject({
      calls: z.int().positive().nullable().optional(),
      requests_per_second: z.number().positive().nullable().optional(),
      call_cost: z
        .number()
        .positive()
        .optional()
        .describe('What a call costs at most: budgets reserve it until costs are known.'),
      queues_more: z
        .literal(true)
        .optional()
        .describe('The service silently queues more calls at once than its limit, so more are never tried.'),
    })
    .optional()
    .describe('The published limits; what is learned counts more.'),
  answers: answers.optional(),
  create: request.extend({
    id: pointers,
    needs: z
      .array(node)
      .optional()
      .describe(
        'Places without which the service refuses every create, as nodes of a body; none may be empty.',
      ),
    fields: fields.partial().optional(),
    handle: pointer.optional(),
    no_override: z
      .array(pointer)
      .optional()
      .describe('Fields that an override may not set, besides those that the order decides.'),
    key_holds_seconds: z
      .number()
      .positive()
      .max(2_592_000)
      .optional()
      .describe(
        'For how long the service promises that requests with one {idempotency_key} make one call, even once that call has ended.',
      ),
  }),
  get: request.extend({
    record: pointer,
    fields,
    final: z
      .union([when, z.array(when).min(1)])
      .optional()
      .describe('What an ended record holds once nothing can change its outcome: this, or one of these.'),
    rules: z.array(rule).describe('They say where the call stands; while none fits, it is live.'),
  }),
  transcript: list
    .extend({ who: pointer, says: pointer, names: z.record(z.string(), z.string()).optional() })
    .optional()
    .describe('A transcript that needs a request of its own.'),
  list: list
    .extend({
      id: pointers,
      stamp: pointers.optional(),
      phone: pointers.optional(),
      except: when
        .optional()
        .describe('Items left by refused creates; none of them is the call that is looked for.'),
      get_each: z.literal(true).optional().describe('Items lack the stamp: each that may be it is fetched.'),
      lag_seconds: z.number().nonnegative().describe('How much later than its create a call may be listed.'),
      absence_proves: z.boolean().describe('A call that is not listed after that was never made.'),
    })
    .nullable()
    .optional(),
  hang_up: request
    .extend({
      path: z.string().describe('Below the base address; or {handle}, the address in the create’s answer.'),
      hosts: z.array(z.string()).optional().describe('The hosts on which such an address may be.'),
      sends_key: z.boolean().optional(),
      record: pointer.optional().describe('Given if the answer is the call’s record.'),
    })
    .nullable()
    .optional(),
  update: request.nullable().optional(),
  numbers: list
    .extend({
      fields: z.strictObject({ id: pointers, phone: field, provider: field.optional() }),
    })
    .nullable()
    .optional(),
  agents: list
    .extend({
      ids: z
        .string()
        .optional()
        .describe('The form of an id: uuid, or a beginning such as agent_*. Any other is a name.'),
      fields: z.strictObject({ id: pointers, name: field.optional(), ref: field.optional() }),
    })
    .nullable()
    .optional(),
  live_calls: request
    .extend({ count: pointer })
    .nullable()
    .optional()
    .describe('How many calls of the account are in progress, those that came in among them.'),
  webhook: z
    .strictObject({
      id: pointers,
      signature: z
        .strictObject({
          header: z.union([z.string(), z.array(z.string()).min(1)]),
          form: z.enum(['hex', 'base64', 't-v0', 'v-d']),
          signs: z.enum(['body', 'id', 'body-time', 'time-body']),
          time: z
            .string()
            .optional()
            .describe('The header with the time, if the signature does not contain it.'),
          key: z.enum(['secret', 'api-key']),
        })
        .nullable(),
    })
    .nullable()
    .optional(),
  stamp: z
    .strictObject({ campaign: z.string().min(1).optional(), attempt: z.string().min(1).optional() })
    .nullable()
    .optional()
    .describe('Keys of the call’s metadata that an update writes after the create.'),
  opt_out: z.record(z.string(), z.union([z.string().min(1), z.number(), z.boolean()])).optional(),
});

export type ServiceDescription = z.output<typeof description>;
export type RequestForm = z.output<typeof request>;
export type ListForm = z.output<typeof list>;
export type Field = z.output<typeof field>;
export type Fields = z.output<typeof fields>;
