import { CarillonError } from '../errors.ts';
import { wrong } from './keys.ts';

/** The settings of S3, by the names that every program for it knows. */
export type S3Settings = Readonly<{
  keyId: string | undefined;
  secret: string | undefined;
  /** Of a credential that is lent for a while. */
  session: string | undefined;
  region: string;
  /** The origin of another store than Amazon's; it may have a path. */
  endpoint: string | undefined;
}>;

export function parseS3(read: (name: string) => string | undefined): S3Settings {
  return {
    keyId: read('AWS_ACCESS_KEY_ID'),
    secret: read('AWS_SECRET_ACCESS_KEY'),
    session: read('AWS_SESSION_TOKEN'),
    region: read('AWS_REGION') ?? 'us-east-1',
    endpoint: parseEndpoint(read('AWS_ENDPOINT_URL')),
  };
}

function parseEndpoint(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw wrong('AWS_ENDPOINT_URL', 'is not an address such as https://minio.example:9000');
  return url.href.replace(/\/$/, '');
}

export function requireS3({ keyId, secret }: S3Settings): { keyId: string; secret: string } {
  if (keyId !== undefined && secret !== undefined) return { keyId, secret };
  throw new CarillonError(
    'config-invalid',
    `s3:// needs ${keyId === undefined ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY'}`,
    { remedy: 'Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION in the environment or in .env.' },
  );
}
