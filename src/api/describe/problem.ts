import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { catalogue, type ErrorCode } from '../../base/error-catalogue.ts';
import { CarillonError, type FieldIssue, issueCodes } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';

/** Facts that /readyz reports besides yes or no, in its answer and in its refusal. */
export const clockShape = z.object({
  ahead_ms: z.number().describe('By how much this machine’s clock is ahead of the ledger’s.'),
});

export const loopsShape = z
  .record(z.string(), z.object({ age_ms: z.number(), stuck: z.boolean() }))
  .describe('How long ago each loop of this process ended a round.');

/** Every failure is answered as RFC 9457 problem+json with the catalogue's code, and reveals nothing internal. */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    code: z.enum(Object.keys(catalogue) as [ErrorCode, ...ErrorCode[]]),
    remedy: z.string(),
    instance: z
      .string()
      .optional()
      .describe('The request’s id, as in the log; for failures that are the server’s.'),
    issues: z
      .array(z.object({ path: z.string(), code: z.enum(issueCodes), message: z.string() }))
      .optional()
      .describe('The fields of the request that are wrong, and how, if the fault is in single fields.'),
    clock: clockShape.optional().describe('Only in the answer to /readyz.'),
    loops: loopsShape.optional().describe('Only in the answer to /readyz.'),
  })
  .meta({ id: 'Problem' });

export type Problem = z.output<typeof problemSchema>;

/** Their messages may name hosts, paths and statements; only the log has them. */
const kept: ReadonlySet<ErrorCode> = new Set([
  'unexpected',
  'config-invalid',
  'ledger-unreachable',
  'queue-unreachable',
  'embedded-unavailable',
  'audit-broken',
]);

export function problemOf(error: CarillonError, requestId: string): Problem {
  const { title, status } = catalogue[error.code];
  const inside = kept.has(error.code);
  // The queue's remedy names only settings: those of the engine in use.
  const found = error.issues.length > 0 ? error.issues : inside ? [] : issueOf(error.message);
  const issues = found.map(({ path, code = 'custom', message }) => ({ path, code, message }));
  const keepsRemedy = !inside || error.code === 'queue-unreachable';
  return {
    type: `urn:carillon:problem:${error.code}`,
    title,
    status,
    detail: inside ? title : error.message,
    code: error.code,
    remedy: keepsRemedy ? error.remedy : catalogue[error.code].remedy,
    ...(status === 422 && issues.length > 0 ? { issues } : {}),
    ...(status >= 500 ? { instance: `urn:uuid:${requestId}` } : {}),
  };
}

/** A verb that checks more than a form begins its message with the field: `phone: is too short`. */
function issueOf(message: string): FieldIssue[] {
  const [, path, words] = /^([a-z_]+(?:\.\w+)*): (.+)$/s.exec(message) ?? [];
  return path && words ? [{ path, message: words }] : [];
}

/** Seconds after which a retry may succeed. */
const comeAgain: Partial<Record<ErrorCode, number>> = {
  'request-in-progress': 1,
  'too-many-requests': 1,
  'too-many-readers': 10,
};

/** About how often a ledger, queue or service that is away is tried again. */
const awayS = 5;

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  const seconds = comeAgain[problem.code] ?? (problem.status === 503 ? awayS : undefined);
  if (seconds !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', seconds);
  return reply
    .code(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(problem));
}

export function createErrorHandler(log: Log) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = asCarillonError(thrown);
    const problem = problemOf(error, request.id);
    if (problem.status >= 500) {
      const cause = thrown instanceof Error ? thrown.message : String(thrown);
      log.warn(
        { request: request.id, method: request.method, route: request.routeOptions.url, why: cause },
        'a request failed',
      );
    }
    return sendProblem(reply, problem);
  };
}

export const oneObject = 'Send one JSON object, in UTF-8.';

export function asCarillonError(thrown: unknown): CarillonError {
  if (thrown instanceof CarillonError) {
    if (thrown.code !== 'usage-invalid') return thrown;
    // The command line calls it usage; here it is the request's form.
    return new CarillonError('request-invalid', thrown.message, {
      remedy: thrown.remedy,
      cause: thrown,
      issues: thrown.issues,
    });
  }
  const { code = '', statusCode } = thrown as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new CarillonError('body-type');
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new CarillonError('body-too-large');
  if (code === 'FST_ERR_BAD_URL') return new CarillonError('request-invalid', 'The address is not valid');
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new CarillonError('route-unknown', 'The address is too long to name anything');
  }
  if (statusCode !== undefined && statusCode < 500) {
    return new CarillonError('request-invalid', undefined, {
      remedy: 'Check the address, the headers and the length of the body.',
      cause: thrown,
    });
  }
  return new CarillonError('unexpected', undefined, { cause: thrown });
}
