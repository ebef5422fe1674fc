import { problemOf } from '../api/ask.ts';
import type { LiveEvent } from './protocol.ts';

/**
 * The stream of events, read with fetch: unlike EventSource it shows the heartbeats, so that silence is noticed, and the
 * status of a refusal.
 */
type StreamOptions = {
  types: readonly string[];
  lastId: string | null;
  signal: AbortSignal;
  onOpen(): void;
  /** Any byte, also a heartbeat. */
  onSign(): void;
  onEvent(event: LiveEvent): void;
};

/** Ends when the stream ends; throws when it cannot be had. */
export async function readStream(options: StreamOptions): Promise<void> {
  const { types, lastId, signal, onOpen, onSign, onEvent } = options;
  const response = await fetch(`/api/events?types=${types.join(',')}`, {
    headers: { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) },
    cache: 'no-store',
    signal,
  });
  if (!response.ok || !response.body) throw await problemOf(response);
  onOpen();
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onSign();
    const parts = (rest + value).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      // Its data is one line; a heartbeat has none.
      const data = /^data:(.+)$/m.exec(part)?.[1];
      if (data !== undefined) onEvent(JSON.parse(data) as LiveEvent);
    }
  }
}
