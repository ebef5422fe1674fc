import { Problem, problemOf } from '../api/ask.ts';
import type { LiveEvent } from './protocol.ts';

type EventsDeps = {
  /** `isAgain`: there was a break in which something may have been missed. */
  onOpen(isAgain: boolean): void;
  /** The status of a refusal; null where the connection broke. */
  onClosed(status: number | null): void;
  onEvents(events: readonly LiveEvent[]): void;
};

/** The server sends a heartbeat every 15 seconds. */
const silenceMs = 40_000;
const restMs = 10_000;
const waitsMs = [500, 1_000, 2_000, 5_000, 15_000];
/** What the parts of a page want as it is drawn is asked for together: each new stream makes all that is shown old. */
const gatherMs = 250;

/**
 * Keeps the stream of events open: connects again after a break, and continues after the last event. It is read with fetch:
 * unlike EventSource it shows the heartbeats, so that silence is noticed, and the status of a refusal.
 */
export function openEvents(deps: EventsDeps) {
  let types: readonly string[] = [];
  let current: AbortController | null = null;
  let open = false;
  let opened = 0;
  let failures = 0;
  let lastId: string | null = null;
  let again: ReturnType<typeof setTimeout> | undefined;
  let resting: ReturnType<typeof setTimeout> | undefined;
  const batch: LiveEvent[] = [];

  /** Ends when the stream ends; throws when it cannot be had. Any byte is a sign, also a heartbeat. */
  async function readStream(own: AbortController, sign: () => void): Promise<void> {
    const response = await fetch(`/api/events?types=${types.join(',')}`, {
      headers: { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) },
      cache: 'no-store',
      signal: own.signal,
    });
    if (!response.ok || !response.body) throw await problemOf(response);
    open = current === own;
    failures = 0;
    opened += 1;
    deps.onOpen(opened > 1);
    let rest = '';
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      sign();
      const parts = (rest + value).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        // Its data is one line; a heartbeat has none.
        const data = /^data:(.+)$/m.exec(part)?.[1];
        if (data === undefined) continue;
        const event = JSON.parse(data) as LiveEvent;
        lastId = event.id;
        batch.push(event);
        if (batch.length === 1) setTimeout(() => deps.onEvents(batch.splice(0)), 50);
      }
    }
  }

  function connect(): void {
    clearTimeout(again);
    again = undefined;
    const own = new AbortController();
    current = own;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const sign = () => {
      clearTimeout(silence);
      silence = setTimeout(() => own.abort(), silenceMs);
    };
    sign();
    const isCurrent = () => current === own;
    readStream(own, sign)
      .then(
        () => null,
        (error: unknown) => {
          // The events after it are not kept any more.
          if (error instanceof Problem && error.code === 'event-gone') lastId = null;
          return error instanceof Problem ? error.status : null;
        },
      )
      .then((status) => {
        clearTimeout(silence);
        if (!isCurrent()) return;
        open = false;
        current = null;
        deps.onClosed(status);
        const wait = waitsMs[Math.min(failures, waitsMs.length - 1)]!;
        failures += 1;
        again = setTimeout(connect, wait * (0.8 + Math.random() * 0.4));
      })
      .catch(() => undefined);
  }

  function stop(): void {
    clearTimeout(again);
    again = undefined;
    const own = current;
    current = null;
    open = false;
    own?.abort();
  }

  return {
    isOpen: () => open,
    /** Follows these types from now on. */
    want(wanted: readonly string[]) {
      clearTimeout(resting);
      const covers = wanted.every((type) => types.includes(type));
      // One that brings a little more is not opened again for less.
      if (wanted.length === 0 || (covers && (current || again !== undefined))) return;
      types = [...new Set([...(current ? types : []), ...wanted])];
      stop();
      again = setTimeout(connect, gatherMs);
    },
    /** Earlier questions do not count any more: the stream is opened again at once. */
    restart() {
      if (!current && again === undefined) return;
      failures = 0;
      stop();
      connect();
    },
    /** No tab is visible: the stream ends soon, unless one is again. */
    rest() {
      clearTimeout(resting);
      resting = setTimeout(stop, restMs);
    },
  };
}
