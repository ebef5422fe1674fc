import type { FastifyReply, FastifyRequest } from 'fastify';
import { CarillonError } from '../../base/errors.ts';

/** Lets pages of the configured origins use the API with a token; a login on our page is not shared with them. */
const exposed =
  'ETag, Location, Retry-After, RateLimit, RateLimit-Policy, Allow, Idempotency-Replayed, Last-Event-ID';
const allowed =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Traceparent, Mcp-Protocol-Version, Mcp-Method, Mcp-Name';

/** Anyone on this machine is an admin if there is no token, and so would be any configured page. */
export function checkOrigins(origins: readonly string[], token: string | undefined): void {
  if (origins.length === 0 || token !== undefined) return;
  throw new CarillonError('config-invalid', 'CORS_ORIGINS is set, and API_TOKEN is not', {
    remedy: 'Set API_TOKEN too, or leave CORS_ORIGINS out.',
  });
}

export function isNamed(origin: string | undefined, origins: readonly string[]): boolean {
  return origin !== undefined && origins.includes(origin);
}

/** Sent with every answer, so that a page can read a refusal too. */
export function addCorsHeaders(
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
): void {
  if (origins.length === 0) return;
  reply.header('vary', 'origin');
  if (!isNamed(origin, origins)) return;
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    'cross-origin-resource-policy': 'cross-origin',
  });
}

/** A browser's preflight for a request of another page; it has no token, and reveals nothing. */
export function isPreflight({ method, headers }: FastifyRequest, origins: readonly string[]): boolean {
  return (
    method === 'OPTIONS' &&
    headers['access-control-request-method'] !== undefined &&
    isNamed(headers.origin, origins)
  );
}

export function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': allowed,
      'access-control-max-age': '600',
    })
    .send();
}
