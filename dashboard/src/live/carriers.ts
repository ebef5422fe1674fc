import { createHub } from './hub.ts';
import { channelName, type HubMessage, type Port, type TabMessage } from './protocol.ts';

/** How a tab reaches the hub: a SharedWorker, or where there is none, the one tab that holds a lock. */
export type Carrier = { post(message: TabMessage): void };
type Take = (message: HubMessage) => void;

export function carry(take: Take): Carrier {
  if (typeof SharedWorker !== 'undefined') return byWorker(take);
  if ('locks' in navigator && typeof BroadcastChannel !== 'undefined') return byLock(take);
  return inTab(take);
}

function byWorker(take: Take): Carrier {
  const { port } = new SharedWorker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    name: channelName,
  });
  port.onmessage = ({ data }: MessageEvent<HubMessage>) => take(data);
  return { post: (message) => port.postMessage(message) };
}

type Letter =
  | { to: 'hub'; from: string; message: TabMessage }
  | { to: string | null; from: 'hub'; message: HubMessage };

function byLock(take: Take): Carrier {
  const id = crypto.randomUUID();
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<Letter>) => {
    if (data.from === 'hub' && (data.to === id || data.to === null)) take(data.message as HubMessage);
  };
  // Held until this tab ends; then another tab asks for all.
  navigator.locks
    .request(channelName, () => {
      keepHub();
      return new Promise(() => undefined);
    })
    .catch(() => undefined);
  return { post: (message) => channel.postMessage({ to: 'hub', from: id, message } satisfies Letter) };
}

function keepHub(): void {
  const hub = createHub();
  const ports = new Map<string, Port>();
  const channel = new BroadcastChannel(channelName);
  const post = (letter: Letter) => channel.postMessage(letter);
  channel.onmessage = ({ data }: MessageEvent<Letter>) => {
    if (data.to !== 'hub' || data.from === 'hub') return;
    const { from } = data;
    const port = ports.get(from) ?? {
      post: (message: HubMessage) => post({ to: from, from: 'hub', message }),
    };
    ports.set(from, port);
    hub.receive(port, data.message as TabMessage);
  };
  post({ to: null, from: 'hub', message: { kind: 'who' } });
}

function inTab(take: Take): Carrier {
  const hub = createHub();
  const port: Port = { post: take };
  return { post: (message) => hub.receive(port, message) };
}
