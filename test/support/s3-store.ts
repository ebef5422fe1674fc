import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A store that speaks like S3 and is strict: it computes each signature itself, checks the digest of each body, and
 * wants parts as S3 does. Objects appear when they are complete.
 */
export const s3Credentials = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret/of+the=store',
};
const region = 'eu-north-1';
const leastPart = 5_242_880;

export type S3Store = Awaited<ReturnType<typeof startS3Store>>;
type Upload = { path: string; type: string; parts: Map<number, Buffer> };
type Asked = { method: string; path: string; query: URLSearchParams; body: Buffer; type: string };

export async function startS3Store() {
  const uploads = new Map<string, Upload>();
  let made = 0;
  const store = {
    url: '',
    env: {} as Record<string, string>,
    objects: new Map<string, { bytes: Buffer; type: string }>(),
    requests: [] as string[],
    /** Answers a request in place of the store; null lets the store answer. */
    instead: (_asked: Asked, _response: ServerResponse): boolean | undefined => false,
    /** Uploads that were begun, and neither completed nor aborted. */
    uploads: () => [...uploads.values()].map(({ path }) => path),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  store.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  store.env = { ...s3Credentials, AWS_REGION: region, AWS_ENDPOINT_URL: store.url };
  return store;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? '', store.url);
    const asked: Asked = {
      method: request.method ?? '',
      path: decodeURIComponent(url.pathname),
      query: url.searchParams,
      body,
      type: request.headers['content-type'] ?? '',
    };
    store.requests.push(`${asked.method} ${asked.path} ${[...asked.query.keys()].join(' ')}`.trim());
    const fault = faultOf(request, url, body);
    if (fault) return refuse(response, 403, fault);
    return store.instead(asked, response) || perform(asked, response);
  }

  function perform({ method, path, query, body, type }: Asked, response: ServerResponse): unknown {
    const [, bucket] = path.split('/');
    if (bucket === 'missing') return refuse(response, 404, 'NoSuchBucket');
    const id = query.get('uploadId');
    const upload = id === null ? undefined : uploads.get(id);
    if (id !== null && (!upload || upload.path !== path)) return refuse(response, 404, 'NoSuchUpload');
    if (method === 'GET') {
      const found = store.objects.get(path);
      if (!found) return refuse(response, 404, 'NoSuchKey');
      response.writeHead(200, { 'content-type': found.type, 'content-length': found.bytes.length });
      return response.end(found.bytes);
    }
    if (method === 'POST' && query.has('uploads')) {
      const name = `upload ${++made}/+`;
      uploads.set(name, { path, type, parts: new Map() });
      return response.end(
        `<?xml version="1.0"?><InitiateMultipartUploadResult><UploadId>${name}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (method === 'PUT' && upload) {
      upload.parts.set(Number(query.get('partNumber')), body);
      return response.writeHead(200, { etag: etagOf(body) }).end();
    }
    if (method === 'PUT') {
      store.objects.set(path, { bytes: body, type });
      return response.writeHead(200, { etag: etagOf(body) }).end();
    }
    if (method === 'DELETE' && upload) {
      uploads.delete(id!);
      return response.writeHead(204).end();
    }
    if (method === 'POST' && upload) return complete(id!, upload, body.toString(), response);
    return refuse(response, 405, 'MethodNotAllowed');
  }

  function complete(id: string, upload: Upload, text: string, response: ServerResponse): unknown {
    const named = [...text.matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag><\/Part>/g)];
    const parts = named.map(([, number, etag]) => {
      const part = upload.parts.get(Number(number));
      return part && etagOf(part) === etag!.replaceAll('&quot;', '"') ? part : null;
    });
    if (parts.length === 0 || parts.includes(null)) return refuse(response, 400, 'InvalidPart');
    if (parts.slice(0, -1).some((part) => part!.length < leastPart))
      return refuse(response, 400, 'EntityTooSmall');
    uploads.delete(id);
    store.objects.set(upload.path, { bytes: Buffer.concat(parts as Buffer[]), type: upload.type });
    return response.end('<CompleteMultipartUploadResult/>');
  }
}

export function refuse(response: ServerResponse, status: number, code: string): unknown {
  return response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>as told</Message></Error>`);
}

const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;
const hex = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const strict = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** What is wrong with a request's signature, by AWS's description of version 4. */
function faultOf({ method, headers }: IncomingMessage, url: URL, body: Buffer): string | null {
  const [, key, day, where, names, given] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/(.+?), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (key !== s3Credentials.AWS_ACCESS_KEY_ID) return 'InvalidAccessKeyId';
  if (where !== `${region}/s3/aws4_request`) return 'AuthorizationHeaderMalformed';
  if (hex(body) !== headers['x-amz-content-sha256']) return 'XAmzContentSHA256Mismatch';
  const at = String(headers['x-amz-date']);
  if (!at.startsWith(day!)) return 'RequestTimeTooSkewed';
  const signed = names!.split(';');
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name)))
    return 'AccessDenied';
  const query = [...url.searchParams].map(([name, value]) => `${strict(name)}=${strict(value)}`).sort();
  const canonical = [
    method,
    url.pathname
      .split('/')
      .map((part) => strict(decodeURIComponent(part)))
      .join('/'),
    query.join('&'),
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${day}/${where}`;
  const text = ['AWS4-HMAC-SHA256', at, scope, hex(canonical)].join('\n');
  const secret = `AWS4${s3Credentials.AWS_SECRET_ACCESS_KEY}`;
  const signing = hmac(hmac(hmac(hmac(secret, day!), region), 's3'), 'aws4_request');
  return hmac(signing, text).toString('hex') === given ? null : 'SignatureDoesNotMatch';
}
