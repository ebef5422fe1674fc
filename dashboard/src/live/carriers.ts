import { createHub } from './hub.ts';
import type { HubMessage, TabMessage } from './protocol.ts';

/** How a tab reaches the hub: in a SharedWorker; where there is none, as on some phones, in itself: only the visible one asks. */
export type Carrier = { post(message: TabMessage): void };
type Take = (message: HubMessage) => void;

export function carry(take: Take): Carrier {
  return typeof SharedWorker === 'undefined' ? inTab(take) : byWorker(take);
}

function byWorker(take: Take): Carrier {
  const { port } = new SharedWorker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    name: 'carillon-live',
  });
  port.onmessage = ({ data }: MessageEvent<HubMessage>) => take(data);
  return { post: (message) => port.postMessage(message) };
}

function inTab(take: Take): Carrier {
  const hub = createHub();
  const port = { post: take };
  return { post: (message) => hub.receive(port, message) };
}
