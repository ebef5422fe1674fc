import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Role } from '../../base/actor.ts';
import type { Stepped } from '../../control/proposals/two-steps.ts';
import type { ServiceAccess } from '../../control/service/access.ts';

/**
 * A tool is a value, as a route is: its name, who may use it, what it takes, and the verb behind it. The verb checks
 * the input and shapes the answer, as it does for the other doors.
 */
export type ToolDeps = {
  app: App;
  service: ServiceAccess;
  /** Done before each use of a tool. */
  before?: () => Promise<void>;
};

/** What a tool is given, as it was sent. */
export type Given = Record<string, unknown>;

type ToolFacts = {
  name: string;
  /** For a person who looks at a list of tools. */
  title: string;
  /** For the assistant: what it answers, and when to use it. */
  does: string;
  role: Role;
  input: z.ZodObject;
};

export type ReadTool = ToolFacts & {
  /** Asks the service too, within the key's budget. */
  asks?: true;
  /** It is there for what was said in a call; all others leave that out. */
  tellsWords?: true;
  read(given: Given, deps: ToolDeps): Promise<unknown>;
};

export type ActTool = ToolFacts & {
  /** Cannot be undone, or calls people. */
  destructive: boolean;
  /** Reaches people or the service. */
  calls: boolean;
  act(given: Given, confirm: string | undefined, deps: ToolDeps): Promise<Stepped<unknown>>;
};

/** The input of a tool that takes none: it is checked for the verb. */
export const nothing = z.strictObject({});

/** The campaign that a tool is about. */
export const campaignField = {
  campaign: z.string().max(300).describe('The campaign, by its name or its id.'),
};

/** The second step of an act. */
export const confirmField = {
  confirm: z
    .string()
    .max(2_000)
    .optional()
    .describe(
      'Leave it out at first: the answer says what would be done, and has a `confirm`. Send that with the same arguments, once a person has agreed, to do it.',
    ),
};

/** Lists are short unless more is asked for: all of it has to be read by the assistant. */
const usualLimit = 20;
export const listed = (given: Given): Given => ({ limit: usualLimit, ...given });

/**
 * What a tool takes, as JSON Schema. Patterns are left out: the verb checks them with better words, and not every
 * assistant can read them.
 */
export function schemaOfInput(input: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      delete jsonSchema.propertyNames;
    },
  });
  const limit = schema.properties?.limit;
  if (typeof limit === 'object') limit.default = usualLimit;
  return schema;
}
