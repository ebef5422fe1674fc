import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Service, startService } from '../support/child.ts';
import { keep, say } from '../support/report.ts';

/**
 * Single calls a second that `carillon api` takes, and how long each request waits; optionally another checkout too, in
 * turns.
 */
export type CreatesOptions = { connections: number; seconds: number; rounds: number; against: string };

type Side = { name: string; service: Service; port: number; home: string };
type Round = { name: string; perSecond: number; p50: number; p99: number; most: number };

/** Everything is compiled and every connection is open by then. */
const warmSeconds = 3;

export async function measureCreates(options: CreatesOptions, signal: AbortSignal): Promise<void> {
  const folders = ['.', ...(options.against ? [options.against] : [])];
  const sides: Side[] = [];
  const rounds: Round[] = [];
  try {
    for (const folder of folders) sides.push(await startSide(folder, signal));
    for (const side of sides) await load(side, options.connections, warmSeconds, signal);
    for (let round = 0; round < options.rounds; round++) {
      for (const side of sides) {
        const one = await load(side, options.connections, options.seconds, signal);
        rounds.push(one);
        say(
          `${one.name.padEnd(30)}${one.perSecond.toFixed(0).padStart(6)} creates/s  p50 ${one.p50.toFixed(1)} ms  p99 ${one.p99.toFixed(1)} ms  max ${one.most.toFixed(1)} ms`,
        );
      }
    }
  } finally {
    for (const { service, home } of sides) {
      await service.stop();
      rmSync(home, { recursive: true, force: true });
    }
  }
  keep('creates', { ...options, rounds });
}

/** Has a ledger of its own. Nothing is dialled: no worker runs. */
async function startSide(folder: string, signal: AbortSignal): Promise<Side> {
  const home = mkdtempSync(join(tmpdir(), 'carillon-creates-'));
  // The account of the embedded Postgres must reach it.
  chmodSync(home, 0o755);
  const args = [resolve(folder, 'bin/carillon.js'), 'api'];
  const service = await startService(args, {
    cwd: home,
    signal,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      VOICE_BASE_URL: 'http://127.0.0.1:9/v1',
      VOICE_API_KEYS: 'bench=bench-key',
      CARILLON_HOME: join(home, 'home'),
    },
  });
  const port = Number(/:(\d+)/.exec(service.firstLine)?.[1]);
  if (!port) throw new Error(`it did not say where it listens: ${service.firstLine}`);
  return { name: folder, service, port, home };
}

/** Each connection sends its next request when the last one is answered. */
async function load({ name, port }: Side, connections: number, seconds: number, signal: AbortSignal) {
  const took: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1_000;
  await Promise.all(Array.from({ length: connections }, () => oneByOne(port, end, took, signal)));
  const sorted = Float64Array.from(took).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  const perSecond = (took.length * 1_000) / (performance.now() - began);
  return { name, perSecond, p50: at(0.5), p99: at(0.99), most: at(1) };
}

let made = 0;

function requestText(): string {
  made += 1;
  const phone = `+1212${2_000_000 + made}`;
  const body = JSON.stringify({ agent: 'agent_1', phone, name: 'Ann', variables: { order: String(made) } });
  return `POST /api/calls HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\nIdempotency-Key: key-${made}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Written without an HTTP library, because the server is measured. */
async function oneByOne(port: number, end: number, took: number[], signal: AbortSignal): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  try {
    while (performance.now() < end && !signal.aborted) {
      const began = performance.now();
      socket.write(requestText().replace('PORT', String(port)));
      const head = await answerOf(socket);
      if (!head.startsWith('HTTP/1.1 202'))
        throw new Error(`a create was not taken: ${head.split('\r\n')[0]}`);
      took.push(performance.now() - began);
    }
  } finally {
    socket.destroy();
  }
}

/** The head of the next answer, once its whole body is here. */
function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const at = text.indexOf('\r\n\r\n');
      if (at < 0) return;
      const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
      if (text.length < at + 4 + length) return;
      socket.off('data', onData).off('error', reject).off('close', onClose);
      resolve(text.slice(0, at));
    };
    const onClose = () => reject(new Error('the connection was closed'));
    socket.on('data', onData).once('error', reject).once('close', onClose);
  });
}
