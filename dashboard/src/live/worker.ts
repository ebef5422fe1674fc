import { createHub } from './hub.ts';
import type { HubMessage, TabMessage } from './protocol.ts';

/** The hub as a SharedWorker: one for all tabs of this browser. */
const hub = createHub();

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  const own = { post: (message: HubMessage) => port.postMessage(message) };
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => hub.receive(own, data);
});
