import { z } from 'zod';
import { text } from '../input.ts';

/**
 * The one list of what a campaign's owner may order: a field is a flag of the command line and a name of a request's
 * body at once. A new option is a field here, what read.ts and tell.ts make of it, and the rule that reads it.
 */
export type Flag = {
  /** As commander takes it; the field's name is the flag's in snake_case. */
  flag: string;
  help: string;
  /** May be given several times. */
  many?: boolean;
};

export const flags = z.registry<Flag>();

/** Each field has a schema of its own: a flag belongs to one. */
const count = () => z.union([z.number(), z.string().max(20)]);

export const orderFields = {
  agent: text(200).register(flags, { flag: '--agent <id>', help: 'the agent that speaks (required)' }),
  from: z.array(text(64)).max(1_000).register(flags, {
    flag: '--from <number>',
    help: 'caller number in E.164; several take turns (default: the service chooses)',
    many: true,
  }),
  number_ids: z.array(text(200)).max(1_000).register(flags, {
    flag: '--number-id <id>',
    help: 'caller number by its id at the service; several take turns',
    many: true,
  }),
  max_calls: count().register(flags, {
    flag: '--max-calls <n>',
    help: 'calls at once for this campaign (default: no limit)',
  }),
  weight: count().register(flags, {
    flag: '--weight <n>',
    help: 'share of the key relative to other campaigns, 1-100 (default: 1)',
  }),
  window: text(40).register(flags, {
    flag: '--window <hours>',
    help: 'hours in which people are called, such as 09:00-20:00 (default: any hour)',
  }),
  days: text(200).register(flags, {
    flag: '--days <days>',
    help: 'days on which people are called, such as mon-fri (default: any day)',
  }),
  timezone: text(100).register(flags, {
    flag: '--timezone <zone>',
    help: 'time zone of rows without one (default: the zones of each number’s prefix)',
  }),
  max_attempts: count().register(flags, {
    flag: '--max-attempts <n>',
    help: 'attempts a person (default: 1)',
  }),
  retry: z.union([text(500), z.record(z.string(), text(20))]).register(flags, {
    flag: '--retry <rules>',
    help: 'when to try again, by outcome, such as no-answer=30m,busy=10m (default: never)',
  }),
  on_unknown: text(20).register(flags, {
    flag: '--on-unknown <what>',
    help: 'what to do when a call’s outcome is unknown: hold, or redial once (may call twice) (default: hold)',
  }),
  result_delay: text(20).register(flags, {
    flag: '--result-delay <time>',
    help: 'accept results this much later to save a status request (default: 3s)',
  }),
};

const { agent, ...options } = orderFields;

/** A whole order, and one that changes some of another: null takes back what was ordered. */
export const orderInput = z.strictObject({ agent, ...z.object(options).partial().shape });
export const orderChange = z.strictObject(
  Object.fromEntries([
    ['agent', agent.optional()],
    // Whose time zone the campaign's was has been settled when its people came in.
    ...Object.entries(options)
      .filter(([name]) => name !== 'timezone')
      .map(([name, schema]) => [name, schema.nullish()]),
  ]) as {
    [K in keyof Omit<typeof orderFields, 'timezone'>]: z.ZodOptional<z.ZodNullable<(typeof orderFields)[K]>>;
  },
);

export type OrderInput = z.input<typeof orderInput>;
export type OrderChange = z.output<typeof orderChange>;
