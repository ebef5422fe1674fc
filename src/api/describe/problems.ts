import { catalogue, type ErrorCode } from '../../base/error-catalogue.ts';
import type { RouteFacts } from '../route.ts';
import type { JsonSchema } from './schema.ts';

/** The problems of a route, by status, with the catalogue's codes. Equal ones appear once, among the components. */
export type Problems = { responses: Map<string, JsonSchema>; codes: Set<ErrorCode> };

/** Codes that every route of its kind may answer. */
function codesOf({ role, path, query, body, stream, idempotent, errors = [] }: RouteFacts): ErrorCode[] {
  const reads = query !== undefined || body !== undefined || stream !== undefined || path.includes('{');
  return [
    ...(role === null ? [] : (['unauthorized', 'too-many-requests'] as const)),
    'forbidden',
    ...(reads ? (['request-invalid'] as const) : []),
    ...(body || stream ? (['body-type', 'body-too-large'] as const) : []),
    ...(idempotent ? (['request-conflict', 'request-in-progress'] as const) : []),
    ...errors,
    'ledger-unreachable',
    'unexpected',
  ];
}

export function problemsOf(route: RouteFacts, problems: Problems): Record<string, JsonSchema> {
  const found = new Map<number, Set<ErrorCode>>();
  for (const code of codesOf(route)) {
    const { status } = catalogue[code];
    found.set(status, (found.get(status) ?? new Set<ErrorCode>()).add(code));
    problems.codes.add(code);
  }
  return Object.fromEntries(
    [...found].map(([status, set]) => {
      const codes = [...set].sort();
      const name = codes.join('.');
      problems.responses.set(name, responseOf(codes));
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function responseOf(codes: readonly ErrorCode[]): JsonSchema {
  const narrowed = { type: 'object', properties: { code: { enum: codes } } };
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return {
    description: codes.map((code) => `\`${code}\`: ${catalogue[code].title}.`).join(' '),
    content: {
      'application/problem+json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed] },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

export function problemExample(code: ErrorCode): JsonSchema {
  const { title, status, remedy } = catalogue[code];
  const instance = status >= 500 ? { instance: 'urn:uuid:0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55' } : {};
  return { type: `urn:carillon:problem:${code}`, title, status, detail: title, code, remedy, ...instance };
}
