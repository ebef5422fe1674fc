import { problemOf } from '../api/ask.ts';
import type { HubMessage } from './protocol.ts';

/** One address that the tabs want: asked for once for all of them, and not sent again while it is the same. */
export const createWatched = (path: string) => ({
  path,
  /** The message that was told last; undefined before the first answer. */
  last: undefined as HubMessage | undefined,
  dueAt: 0,
  askedAt: 0,
  /** Something happened since: only what is read from now on will do. */
  isOld: true,
  isBusy: false,
  etag: null as string | null,
  /** The last good answer. */
  okAt: null as number | null,
  failed: null as 'silent' | 'failing' | null,
});
export type Watched = ReturnType<typeof createWatched>;

type Told = Extract<HubMessage, { kind: 'data' | 'problem' }>;

const patienceMs = 20_000;

/** Asks once; an answer that is the same as the last one is not sent again. */
export async function askFor(watched: Watched): Promise<Told | 'same' | 'lost'> {
  const { path, etag, isOld } = watched;
  watched.isOld = false;
  let response: Response;
  try {
    response = await fetch(path, {
      headers: {
        ...(etag === null ? {} : { 'if-none-match': etag }),
        // On the beat, what others were told a moment ago will do: the server reads it once for all.
        ...(isOld ? {} : { 'cache-control': 'max-age=1' }),
      },
      cache: 'no-store',
      signal: AbortSignal.timeout(patienceMs),
    });
    if (response.status === 304) return 'same';
    if (response.ok) {
      const body: unknown = await response.json();
      watched.etag = response.headers.get('etag');
      return { kind: 'data', path, body };
    }
  } catch {
    return 'lost';
  }
  watched.etag = null;
  const { status, code, remedy, message: detail, retryAfter } = await problemOf(response);
  return { kind: 'problem', path, body: { code, remedy, detail }, status, retryAfter };
}
