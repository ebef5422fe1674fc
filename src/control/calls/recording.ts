import { Transform } from 'node:stream';
import { Pool } from 'undici';
import { CarillonError } from '../../base/errors.ts';
import { version } from '../../base/version.ts';
import { type Body, type OpenedBody, openBody, openedOf } from '../../http/open-body.ts';
import { type HostAddress, lookupIn, resolveChecked, resolveHost } from '../../http/resolve.ts';
import type { AttemptReport } from '../../ledger/reports/reports.ts';
import { readWebUrl } from '../../rules/webhook/url.ts';
import { ask, faultError, type ServiceAccess } from '../service/access.ts';

/**
 * The recording of a call, read from where its record says: with the key at the service's own address, without it
 * elsewhere. A record comes from outside, so other addresses must be on the internet, and only sound is passed on.
 */
export type Recording = { type: string; length: number | null; body: Transform };

/** How many this process reads at once; a listener reads one. */
const mostOpen = 8;
const mostBytes = 256 * 1024 * 1024;
const mostRedirects = 3;
const resolveMs = 5_000;
/** A reader that stops taking bytes loses its place after this. */
const longestMs = 5 * 60_000;
let open = 0;

export async function openRecording(service: ServiceAccess, id: string): Promise<Recording> {
  const attempt = await service.ledger.reports.attempt(id);
  if (!attempt) throw new CarillonError('attempt-unknown', `The attempt ${id} was not found`);
  const link = await service.ledger.calls.recording(id);
  if (link === null)
    throw new CarillonError('recording-missing', `No recording of the attempt ${id} is known`);
  if (open >= mostOpen) throw new CarillonError('too-many-readers', `${mostOpen} recordings are read now`);
  open += 1;
  try {
    const { opened, url, close } = await follow(service, attempt, link);
    const type = soundOf(opened, url);
    const length = Number(opened.headers['content-length'] ?? Number.NaN);
    if (type === null || length > mostBytes) {
      opened.body.destroy();
      close();
      throw notSound(
        url,
        type === null ? `answered ${typeOf(opened) || 'no type'}` : `is ${length} bytes long`,
      );
    }
    const body = bounded();
    const tooSlow = setTimeout(
      () => body.destroy(new Error('the recording was not read in time')),
      longestMs,
    );
    body.once('close', () => {
      clearTimeout(tooSlow);
      open -= 1;
      opened.body.destroy();
      close();
    });
    opened.body.on('error', (error) => body.destroy(error));
    opened.body.pipe(body);
    return { type, length: Number.isFinite(length) ? length : null, body };
  } catch (error) {
    open -= 1;
    throw error;
  }
}

/** Passes at most so many bytes, then breaks off: a cut recording must not look whole. */
function bounded(): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > mostBytes) done(new Error('the recording is too long'));
      else done(null, chunk);
    },
  });
}

type Followed = { opened: Body; url: URL; close(): void };
type Tried = { opened: OpenedBody; close(): void };

async function follow(service: ServiceAccess, attempt: AttemptReport, link: string): Promise<Followed> {
  let url = readLink(link, null);
  for (let turn = 0; turn <= mostRedirects; turn += 1) {
    const { opened, close } = await (isOwn(service, attempt, url)
      ? withKey(service, attempt, url)
      : elsewhere(url, service.signal));
    if (opened.kind === 'open') return { opened, url, close };
    close();
    if (opened.kind === 'none') throw notSound(url, opened.why);
    url = readLink(opened.to, url);
  }
  throw notSound(url, 'is redirected too often');
}

function readLink(text: string, base: URL | null): URL {
  if (URL.canParse(text, base?.href)) return new URL(text, base?.href);
  throw new CarillonError('service-answer', 'The recording’s address in the call’s record is not valid', {
    remedy: 'Hear it at the service.',
  });
}

function isOwn({ baseUrl }: ServiceAccess, attempt: AttemptReport, url: URL): boolean {
  return attempt.baseUrl === baseUrl && url.origin === new URL(baseUrl).origin;
}

async function withKey(service: ServiceAccess, attempt: AttemptReport, url: URL): Promise<Tried> {
  const lane = service.lanes.find(({ id }) => id === attempt.laneId) ?? service.lanes[0];
  if (!lane)
    throw new CarillonError('key-denied', 'The recording needs a key, and none is set', {
      remedy: 'Put the key into VOICE_API_KEYS of this process.',
    });
  const answer = await ask(lane, service, (client) => client.open(url, service.signal));
  if (!answer.ok) throw faultError(answer.fault, lane.name, 'The recording cannot be read');
  return { opened: answer.value, close: () => undefined };
}

async function elsewhere(url: URL, signal: AbortSignal | undefined): Promise<Tried> {
  const form = readWebUrl(url.href.replace(/#.*$/, ''), false, null);
  if ('fault' in form) throw notSound(url, form.fault);
  const place = await resolveChecked(url.hostname, false, resolveHost, resolveMs);
  if (place.kind !== 'found') throw notSound(url, `cannot be read: ${place.why}`);
  const addresses: HostAddress[] = place.addresses;
  const pool = new Pool(url.origin, { connections: 1, connect: { lookup: lookupIn(() => addresses) } });
  const close = () => void pool.destroy();
  try {
    return {
      opened: openedOf(await openBody(url, ['user-agent', `carillon/${version}`], pool, signal)),
      close,
    };
  } catch (error) {
    close();
    throw notSound(url, `cannot be read: ${(error as Error).message}`);
  }
}

function notSound(url: URL, why: string): CarillonError {
  return new CarillonError('service-answer', `The recording at ${url.host} ${why}`, {
    remedy: 'Its link may have expired: `carillon call refresh <id>` asks the service for a new one.',
  });
}

function typeOf({ headers }: Body): string {
  return String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase();
}

/** Stores often do not know the type of a file; then its name decides. */
const byName: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  webm: 'audio/webm',
  flac: 'audio/flac',
};

function soundOf(opened: Body, url: URL): string | null {
  const type = typeOf(opened);
  if (/^audio\/[\w.+-]+$/.test(type)) return type;
  if (type === 'video/mp4' || type === 'video/webm') return type.replace('video', 'audio');
  if (!['', 'application/octet-stream', 'binary/octet-stream'].includes(type)) return null;
  return byName[/\.(\w+)$/.exec(url.pathname)?.[1]?.toLowerCase() ?? ''] ?? null;
}
