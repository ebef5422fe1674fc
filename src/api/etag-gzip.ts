import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** An answer that the client already has is not sent again, and one larger than a packet is sent compressed. */
const leastBytes = 1_400;
/** A fast level: the answers are text, which shrinks well at any level. */
const level = 4;
const packed = promisify(gzip);

/** An event must leave at once, so an answer that stays open is not compressed. */
const packable =
  /^(?:application\/(?:json|problem\+json|x-ndjson)|text\/(?:csv|plain|html|css|javascript))\b/;

/** Call it after the hooks that change a payload. */
export function addEtagAndGzip(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload === 'string' && isRead(request, reply)) {
      const tag = tagOf(reply, payload);
      reply.header('etag', tag);
      if (knows(request.headers['if-none-match'], tag)) {
        reply.code(304).removeHeader('content-type').removeHeader('content-length');
        return '';
      }
    }
    return request.method === 'HEAD' ? payload : pack(request, reply, payload);
  });
}

/** An answer that stays the same: digested and compressed once, when it is first asked for. */
export type FixedAnswer = { body: Buffer; tag(): string; packed(): Promise<Buffer> };

export function fix(body: Buffer): FixedAnswer {
  let tag: string | undefined;
  let small: Promise<Buffer> | undefined;
  return {
    body,
    tag() {
      tag ??= digestOf(body);
      return tag;
    },
    packed() {
      small ??= packed(body, { level: 9 });
      return small;
    },
  };
}

export async function sendFixed(reply: FastifyReply, fixed: FixedAnswer): Promise<FastifyReply> {
  const { headers } = reply.request;
  reply.header('etag', fixed.tag());
  vary(reply);
  if (knows(headers['if-none-match'], fixed.tag()))
    return reply.code(304).removeHeader('content-type').send();
  if (!takesGzip(headers['accept-encoding'])) return reply.send(fixed.body);
  label(reply);
  return reply.send(await fixed.packed());
}

function isRead({ method, url }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return statusCode === 200 && (method === 'GET' || method === 'HEAD') && url.startsWith('/api/');
}

/** The version that an `If-Match` names, if there is one, and what else the answer holds. */
function tagOf(reply: FastifyReply, payload: string): string {
  const version = reply.getHeader('etag');
  const digest = digestOf(payload);
  return version === undefined ? digest : `"${String(version).replaceAll('"', '')}.${digest.slice(1)}`;
}

const digestOf = (text: string | Buffer) =>
  `"${createHash('sha1').update(text).digest('base64url').slice(0, 16)}"`;

/** A weak comparison, which is right for reads. */
function knows(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}

async function pack(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (!packable.test(String(reply.getHeader('content-type') ?? '')) || reply.hasHeader('content-encoding'))
    return payload;
  vary(reply);
  if (!takesGzip(request.headers['accept-encoding'])) return payload;
  if (payload instanceof Readable) {
    label(reply);
    const stream = createGzip({ level });
    // If the source breaks off, so does this answer, so that a part does not look like the whole.
    pipeline(payload, stream, () => undefined);
    return stream;
  }
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  if (Buffer.byteLength(payload) < leastBytes) return payload;
  label(reply);
  return packed(payload, { level });
}

function vary(reply: FastifyReply): void {
  const varies = reply.getHeader('vary');
  if (String(varies ?? '').includes('accept-encoding')) return;
  reply.header('vary', varies === undefined ? 'accept-encoding' : `${varies}, accept-encoding`);
}

function label(reply: FastifyReply): void {
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  const tag = reply.getHeader('etag');
  // The bytes differ, the content is the same.
  if (typeof tag === 'string' && !tag.startsWith('W/')) reply.header('etag', `W/${tag}`);
}

export function takesGzip(header: string | string[] | undefined): boolean {
  const names = String(header ?? '').split(',');
  return names.some((each) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each));
}
