import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describeMachine, keep, machineLine, say } from '../support/report.ts';
import { openStage } from '../support/stage.ts';
import { openUp } from '../support/up.ts';
import { cpuOf } from './idle.ts';

/** The cost of telling many readers of each event, and the delay: from the commit to the last reader. */
export type EventsOptions = { readers: number; rate: number; seconds: number };

type Cost = { program: number; postgres: number };

/** Time to settle after the start, and after the readers have connected. */
const settleMs = 10_000;

export async function measureEvents(options: EventsOptions, signal: AbortSignal): Promise<void> {
  const { readers, rate: perSecond, seconds } = options;
  const machine = describeMachine();
  say(machineLine(machine));
  const stage = await openStage(['postgres'], false);
  const up = await openUp(stage, signal, 10);
  const postgres = stage.postgresPid();
  const teller = await openTeller(up);
  const sockets: Socket[] = [];
  try {
    /** The cost in shares of a core while events are told, with the current readers. */
    const measure = async (told: (sent: number) => Promise<void>): Promise<Cost> => {
      await sleep(settleMs, undefined, { signal });
      const [program, server, began] = [cpuOf(up.pid), cpuOf(postgres), performance.now()];
      for (let sent = 1; sent <= seconds * perSecond; sent++) {
        await teller.tell();
        await told(sent);
        await sleep(Math.max(0, began + (sent * 1_000) / perSecond - performance.now()), undefined, {
          signal,
        });
      }
      const share = (used: number) => (used * 100_000) / (performance.now() - began);
      return { program: share(cpuOf(up.pid) - program), postgres: share(cpuOf(postgres) - server) };
    };
    const without = await measure(async () => undefined);
    const audience = await openAudience(up.port, readers, sockets);
    const latencies: number[] = [];
    const withReaders = await measure(async (sent) => {
      const began = performance.now();
      await audience.heard(sent);
      latencies.push(performance.now() - began);
    });
    latencies.sort((a, b) => a - b);
    const at = (share: number) => Math.round(latencies[Math.floor((latencies.length - 1) * share)]!);
    const toAll = { p50: at(0.5), p95: at(0.95), max: at(1) };
    const shown = ({ program, postgres: server }: Cost) =>
      `the program ${program.toFixed(2)} % of a core, Postgres ${server.toFixed(2)} %`;
    say(`${perSecond} events a second, nobody reads: ${shown(without)}`);
    say(`${perSecond} events a second, ${readers} readers: ${shown(withReaders)}`);
    say(`from the commit to the last reader: p50 ${toAll.p50} ms, p95 ${toAll.p95} ms, max ${toAll.max} ms`);
    const written = { machine, ...options, without, with: withReaders, toAllMs: toAll };
    keep('events', written);
  } finally {
    for (const socket of sockets) socket.destroy();
    await teller.close();
    await up.close();
    await stage.close();
  }
}

/** Writes to the outbox what a settled call writes about its person. */
async function openTeller(up: { databaseUrl: string; post(path: string, body?: string): Promise<unknown> }) {
  const recipients = [{ phone: '+14155550123', name: 'Ann' }];
  await up.post('/api/campaigns', JSON.stringify({ name: 'bench', agent: 'agent', recipients }));
  const client = new pg.Client({ connectionString: up.databaseUrl });
  await client.connect();
  return {
    tell: () =>
      client.query(`insert into carillon.outbox (type, campaign_id, recipients)
        select 'recipient.done', campaign_id, array[id] from carillon.recipients`),
    close: () => client.end(),
  };
}

/** Many readers that read as fast as they can; they only count events. */
async function openAudience(port: number, readers: number, sockets: Socket[]) {
  const counts = new Array<number>(readers).fill(0);
  let wanted = Number.POSITIVE_INFINITY;
  let left = 0;
  let resolve = () => undefined as undefined;
  const join = (nth: number) =>
    new Promise<void>((joined) => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      socket.on('data', (chunk) => {
        joined();
        for (let at = chunk.indexOf('\nevent:'); at >= 0; at = chunk.indexOf('\nevent:', at + 1)) {
          counts[nth]! += 1;
          if (counts[nth] === wanted) left -= 1;
        }
        if (left === 0) resolve();
      });
    });
  for (let nth = 0; nth < readers; nth++) await join(nth);
  return {
    /** Resolves when all readers have so many events. */
    heard: (events: number) =>
      new Promise<void>((done) => {
        wanted = events;
        left = counts.filter((each) => each < events).length;
        resolve = () => void done();
        if (left === 0) done();
      }),
  };
}
