import { problemOf, unreachable } from '../api/ask.ts';
import { eventTypes } from '../api/description.ts';
import { openEvents } from './events.ts';
import type { Fault, HubMessage, Link, LiveEvent, Port, TabMessage, Want } from './protocol.ts';

/** One address that the tabs want: asked for once for all of them, and not sent again while it is the same. */
const createWatched = (path: string) => ({
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
  /** What the last answer says, where it is an error. */
  why: null as Fault | null,
  failed: null as 'silent' | 'failing' | null,
});
export type Watched = ReturnType<typeof createWatched>;

type Told = Extract<HubMessage, { kind: 'data' | 'problem' }>;

const patienceMs = 20_000;

/** Asks once; an answer that is the same as the last one is not sent again. */
async function askFor(watched: Watched): Promise<Told | 'same' | 'lost'> {
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

/**
 * Asks the API for all tabs of a browser: one stream of events, and one request for each address however many tabs show
 * it. It pauses while no tab is visible.
 */
export type Hub = { receive(port: Port, message: TabMessage): void };

type Tab = { visible: boolean; wants: readonly Want[]; seenAt: number };

const tickMs = 250;
/** An address is asked for at most once in this time, however many events make it old. */
const leastMs = 1_000;
/** Without the stream nothing tells that an answer is old. */
const slowMs = 10_000;
const lostMs = 2_000;
/** A tab that was closed says so; one that crashed is forgotten. */
const forgetMs = 150_000;

export function createHub(): Hub {
  const tabs = new Map<Port, Tab>();
  const watched = new Map<string, Watched>();
  let link: Link = { state: 'starting', okAt: null };
  let needsLogin = false;
  /** Counts the logins: a question from before the last one that is refused after it says nothing. */
  let logins = 0;
  /** When the API said anything, also that it fails: nothing is silent that was asked for before. */
  let heardAt: number | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;

  const visible = () => [...tabs].filter(([, tab]) => tab.visible);

  /** How the link is, from what became of the latest requests for what is shown. */
  const judge = () => {
    const wanted = wantsByPath();
    const shown = [...watched.values()].filter((each) => wanted.has(each.path));
    const failed = shown.filter((each) => each.failed !== null);
    const isSilent = failed.some((each) => each.failed === 'silent');
    const before = link;
    if (needsLogin) link = { state: 'login', okAt: null };
    else if (failed.length > 0) {
      // An answer that was never told cannot be old.
      const times = failed.flatMap(({ okAt }) => okAt ?? []);
      const okAt = times.length > 0 ? Math.min(...times) : null;
      const [why] = failed.flatMap(({ why: each }) => each ?? []);
      link = isSilent ? { state: 'silent', okAt: heardAt } : { state: 'failing', okAt, ...(why && { why }) };
    } else if (events.isOpen()) link = { state: 'live', okAt: null };
    else link = { state: shown.some(({ okAt }) => okAt !== null) ? 'polling' : 'starting', okAt: null };
    if (before.state === link.state && before.okAt === link.okAt && before.why?.words === link.why?.words)
      return;
    for (const port of tabs.keys()) port.post({ kind: 'link', link });
  };

  function hear(): void {
    heardAt = Date.now();
    for (const each of watched.values()) {
      if (each.failed !== 'silent') continue;
      each.failed = null;
      each.dueAt = Math.min(each.dueAt, heardAt);
    }
  }

  const events = openEvents({
    onOpen(isAgain) {
      hear();
      // It brings nothing of what happened between an earlier answer and now.
      const wanted = wantsByPath();
      makeDue((path) => isAgain || (wanted.get(path)?.on.length ?? 0) > 0);
      judge();
    },
    onClosed(status) {
      needsLogin ||= status === 401;
      // The meaning of the break is known as soon as something is asked for.
      makeDue(() => true);
      judge();
    },
    onEvents: spread,
  });

  function spread(batch: readonly LiveEvent[]): void {
    const now = Date.now();
    const wanted = wantsByPath();
    for (const each of watched.values()) {
      const on = wanted.get(each.path)?.on ?? [];
      if (!batch.some(({ type }) => on.some((start) => type.startsWith(start)))) continue;
      each.isOld = true;
      each.dueAt = Math.min(each.dueAt, Math.max(now, each.askedAt + leastMs));
    }
  }

  /** The wants of the visible tabs, the most eager wish of each address. */
  function wantsByPath() {
    const found = new Map<string, { everyMs: number | null; on: string[] }>();
    for (const { path, everyMs, on } of visible().flatMap(([, tab]) => [...tab.wants])) {
      const before = found.get(path);
      const beats = [before?.everyMs ?? null, everyMs].filter((each) => each !== null);
      found.set(path, {
        everyMs: beats.length > 0 ? Math.min(...beats) : null,
        on: [...(before?.on ?? []), ...on],
      });
    }
    return found;
  }

  function makeDue(which: (path: string) => boolean): void {
    for (const each of watched.values()) {
      if (!which(each.path)) continue;
      each.isOld = true;
      each.dueAt = Math.min(each.dueAt, Date.now());
    }
  }

  function tick(): void {
    const now = Date.now();
    for (const [port, tab] of tabs) if (now - tab.seenAt > forgetMs) tabs.delete(port);
    const wanted = wantsByPath();
    follow();
    for (const [path, { everyMs }] of wanted) {
      const each = watched.get(path) ?? createWatched(path);
      watched.set(path, each);
      // A page may want it more often than the one before.
      const isWell = each.failed === null && each.last?.kind === 'data';
      if (isWell && !each.isBusy && everyMs !== null) each.dueAt = Math.min(each.dueAt, each.okAt! + everyMs);
      if (!each.isBusy && each.dueAt <= now && !needsLogin) void look(each, everyMs);
    }
    // Kept for the next tab that wants it, but not for long.
    for (const each of watched.values())
      if (!wanted.has(each.path) && now - each.askedAt > slowMs) watched.delete(each.path);
    if (wanted.size === 0 && visible().length === 0) {
      clearInterval(timer);
      timer = undefined;
      events.rest();
    }
  }

  async function look(each: Watched, everyMs: number | null): Promise<void> {
    each.isBusy = true;
    each.askedAt = Date.now();
    each.dueAt = Number.POSITIVE_INFINITY;
    const login = logins;
    const asked = await askFor(each);
    each.isBusy = false;
    let wait = everyMs ?? (events.isOpen() ? Number.POSITIVE_INFINITY : slowMs);
    const refusal = typeof asked === 'object' && asked.kind === 'problem' ? asked : null;
    if (asked !== 'lost') hear();
    if (asked === 'lost' || (refusal && refusal.status >= 500)) {
      each.failed = asked === 'lost' && each.askedAt >= (heardAt ?? 0) ? 'silent' : 'failing';
      each.why = refusal && { words: String(refusal.body.detail), code: String(refusal.body.code) };
      wait = lostMs;
    } else {
      each.failed = each.why = null;
      each.okAt = Date.now();
      if (refusal) wait = Math.max(wait, (refusal.retryAfter ?? 5) * 1_000);
    }
    needsLogin ||= refusal?.status === 401 && login === logins;
    judge();
    each.dueAt = Math.min(each.dueAt, Date.now() + wait);
    const { code, remedy, message: detail } = unreachable();
    const lost = { kind: 'problem', path: each.path, body: { code, remedy, detail } } as const;
    // A tab that waits for its first answer is told that none comes.
    const told = asked === 'lost' && !each.last ? { ...lost, status: 0, retryAfter: null } : asked;
    if (typeof told === 'string') return;
    if (told === asked) each.last = told;
    for (const [port, { wants }] of visible())
      if (wants.some(({ path }) => path === each.path)) port.post(told);
  }

  /** The stream brings only what some tab wants: the others' bodies need not be built. */
  function follow(): void {
    const starts = visible().flatMap(([, { wants }]) => wants.flatMap(({ on }) => [...on]));
    const types = eventTypes.filter((type) => starts.some((start) => type.startsWith(start)));
    if (!needsLogin) events.want(types);
  }

  function take(port: Port, message: Extract<TabMessage, { kind: 'state' }>): void {
    const before = tabs.get(port);
    const { visible: shown, wants } = message;
    tabs.set(port, { visible: shown, wants, seenAt: Date.now() });
    if (!before) port.post({ kind: 'link', link });
    if (!shown) return;
    timer ??= setInterval(tick, tickMs);
    for (const { path } of wants) {
      const isNew = !before?.visible || !before.wants.some((each) => each.path === path);
      const known = watched.get(path);
      if (!isNew || !known) continue;
      if (known.last) port.post(known.last);
      known.dueAt = Math.min(known.dueAt, known.askedAt + leastMs);
    }
    tick();
  }

  return {
    receive(port, message) {
      const tab = tabs.get(port);
      if (tab) tab.seenAt = Date.now();
      if (message.kind === 'state') return take(port, message);
      if (message.kind === 'alive' && !tab) return port.post({ kind: 'who' });
      if (message.kind === 'bye') tabs.delete(port);
      if (message.kind === 'refresh') {
        needsLogin = false;
        if (message.path === null) {
          logins += 1;
          events.restart();
          judge();
        }
        for (const each of watched.values()) {
          if (message.path !== null && message.path !== each.path) continue;
          // An earlier refusal is not shown to a tab that comes back.
          if (each.last?.kind === 'problem') each.last = undefined;
          // A tab that asks waits for an answer, also when it is the same.
          each.etag = message.path === null ? each.etag : null;
          each.isOld = true;
          each.dueAt = Date.now();
        }
      }
    },
  };
}
