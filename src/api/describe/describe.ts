import { version } from '../../base/version.ts';
import { anyEvent, eventShapes } from '../../control/events/follow.ts';
import { isRaw, type Route, type RouteFacts, tags } from '../route.ts';
import { exampleOf } from './examples.ts';
import { problemSchema } from './problem.ts';
import { type Problems, problemExample, problemsOf } from './problems.ts';
import { type Components, type JsonSchema, schemaOf } from './schema.ts';

/** The description of the API, as OpenAPI 3.1, made from the routes themselves, in their order. */
export type Description = {
  openapi: string;
  paths: Record<string, Record<string, JsonSchema>>;
  components: Record<'schemas' | 'responses' | 'examples' | 'securitySchemes', Record<string, JsonSchema>>;
} & JsonSchema;

/** Yields after each route, so that a process that serves others meanwhile can let them go first. */
export function* describe(routes: readonly Route[]): Generator<void, Description> {
  const components: Components = new Map();
  const problems: Problems = { responses: new Map(), codes: new Set() };
  const paths: Description['paths'] = {};
  schemaOf(problemSchema, 'output', components);
  schemaOf(anyEvent, 'output', components);
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operationOf(route, components, problems);
    yield;
  }
  const used: ReadonlySet<string> = new Set(routes.map(({ tag }) => tag));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Carillon',
      version,
      summary: 'Dispatches outbound AI phone calls.',
      description:
        'Campaigns, people, calls and their results. The command line answers the same: each `--json` is what the API answers.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this description was read.' }],
    security: [{ token: [] }],
    tags: Object.entries(tags).flatMap(([name, description]) =>
      used.has(name) ? [{ name, description }] : [],
    ),
    paths,
    webhooks: webhooksOf(components),
    components: {
      schemas: sorted(components),
      responses: sorted(problems.responses),
      examples: sorted([...problems.codes].map((code) => [code, { value: problemExample(code) }])),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token. Without `API_TOKEN`, the API serves only its own machine and needs none.',
        },
      },
    },
  };
}

/** Each type of event as it is sent to a webhook. */
function webhooksOf(components: Components): Record<string, JsonSchema> {
  const posts = [...eventShapes].map(([type, shape]) => {
    const schema = schemaOf(shape, 'output', components);
    const post = {
      operationId: `on_${type.replace('.', '_')}`,
      tags: ['events'],
      summary: `The event ${type}.`,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { 200: { description: 'Taken. Any status from 200 to 299 counts.' } },
    };
    return [type, { post }] as const;
  });
  return Object.fromEntries(posts);
}

function sorted(named: Iterable<[string, JsonSchema]>): Record<string, JsonSchema> {
  return Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function operationOf(route: Route, components: Components, problems: Problems): JsonSchema {
  const { id, tag, role, summary, more } = route;
  const parameters = [
    ...pathParameters(route),
    ...queryParameters(route, components),
    ...headerParameters(route),
  ];
  const body = bodyOf(route, components);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(more === undefined ? {} : { description: more }),
    ...(role === null ? { security: [] } : { 'x-role': role }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: { ...answersOf(route, components), ...problemsOf(route, problems) },
  };
}

/** The meaning of the names in a path, unless the route gives it. */
const usualParams: Readonly<Record<string, string>> = {
  'campaigns/{id}': 'The campaign’s id or its name.',
  'recipients/{rid}': 'The recipient’s id or phone.',
  'calls/{id}': 'The id of a recipient or an attempt, or the service’s id of the call.',
};

function pathParameters({ path, params = {} }: RouteFacts): JsonSchema[] {
  return [...path.matchAll(/(\w+)\/\{(\w+)\}/g)].map(([whole, , name]) => {
    const description = params[name!] ?? usualParams[whole];
    if (description === undefined) throw new Error(`${path} does not say what {${name}} is`);
    return {
      name,
      in: 'path',
      required: true,
      description,
      schema: { type: 'string', minLength: 1, maxLength: 300 },
    };
  });
}

function queryParameters({ query }: RouteFacts, components: Components): JsonSchema[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemaOf(query, 'input', components);
  return Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: (required as string[]).includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
      ...(schema.anyOf === undefined ? {} : { style: 'form', explode: true }),
    }),
  );
}

function headerParameters({ idempotent, ifMatch }: RouteFacts): JsonSchema[] {
  const header = (name: string, description: string, schema: JsonSchema, example: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...schema },
    example,
  });
  return [
    ...(idempotent
      ? [
          header(
            'Idempotency-Key',
            'The same key with the same body is the same request, however often it is sent.',
            { pattern: '^[\\x21-\\x7e]{1,255}$' },
            'order-1017',
          ),
        ]
      : []),
    ...(ifMatch ? [header('If-Match', 'The `ETag` of the version that is to be changed.', {}, '"3"')] : []),
  ];
}

function bodyOf(
  { body, stream, bodyOptional, example }: RouteFacts,
  components: Components,
): JsonSchema | null {
  if (stream) {
    const content = Object.entries(stream.types).map(([type, { schema, example }]) => [
      type,
      { schema: schema ? schemaOf(schema, 'input', components) : { type: 'string' }, example },
    ]);
    return { required: true, content: Object.fromEntries(content) };
  }
  if (!body) return null;
  const schema = schemaOf(body, 'input', components);
  const shown = example?.body ?? exampleOf(schema, components);
  return { required: bodyOptional !== true, content: { 'application/json': { schema, example: shown } } };
}

function answersOf({ answers, example }: RouteFacts, components: Components): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => {
      const description = words[Number(status)] ?? 'Done.';
      if (isRaw(answer)) {
        const { type } = answer;
        if (type === null) return [status, { description }];
        const written =
          type === 'application/json'
            ? { schema: { type: 'object' }, example: JSON.parse(answer.example) }
            : { schema: { type: 'string' }, example: answer.example };
        return [status, { description, content: { [type]: written } }];
      }
      const schema = schemaOf(answer, 'output', components);
      const shown = example?.answer ?? exampleOf(schema, components);
      return [status, { description, content: { 'application/json': { schema, example: shown } } }];
    }),
  );
}

const words: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted; it is not done yet.',
  204: 'Done; the answer has no body.',
};
