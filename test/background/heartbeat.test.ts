import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHeartbeat } from '../../src/background/alerts.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createSeal } from '../../src/base/seal.ts';
import type { ProcessReport } from '../../src/ledger/processes/processes.ts';
import { type House, shareBooks, workerReport } from '../ledger/support.ts';

/** The dead man's switch: a monitor that counts, and processes as they report themselves. */
const books = await shareBooks();
let house: House;
let monitor: Server;
let url: string;
let answers = 200;
const secret = 'a secret of sixteen characters';
const asked: string[] = [];
beforeAll(async () => {
  monitor = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(answers).end();
  });
  monitor.listen(0, '127.0.0.1');
  await once(monitor, 'listening');
  url = `http://localhost:${(monitor.address() as AddressInfo).port}/ping/secret`;
});
afterAll(() => void monitor?.close());
beforeEach(async () => {
  asked.length = 0;
  answers = 200;
  house = books.house();
  await books.sql('delete from carillon.processes');
  await books.sql('delete from carillon.heartbeats');
});

const report = (id: string, more: Partial<ProcessReport> = {}) =>
  house.ledger.processes.report(
    workerReport(id, { loops: [{ name: 'planner', age_ms: 10, stuck: false }], ...more }),
  );
const beat = (allow = true, monitors = false) =>
  createHeartbeat({
    ledger: house.ledger,
    config: {
      heartbeatUrl: monitors ? undefined : url,
      webhookAllowPrivate: allow,
      publicUrl: undefined,
      alertMail: undefined,
      secret,
      home: '/nowhere',
    },
    clock: systemClock,
  })();
const pass = (seconds: number) =>
  books.sql('update carillon.heartbeats set next_at = next_at - make_interval(secs => $1)', [seconds]);
const last = () => house.ledger.processes.lastBeat();

describe('the heartbeat', () => {
  it('is sent once a minute, however many processes there are', async () => {
    await report('a');
    await Promise.all([beat(), beat(), beat()]);
    await beat();
    await pass(59);
    await beat();
    expect(asked).toEqual(['GET /ping/secret']);
    await pass(2);
    await Promise.all([beat(), beat()]);
    expect(asked).toHaveLength(2);
    expect(await last()).toMatchObject({ reason: null, beatAgo: expect.any(Number) });
  });

  it.each([
    ['no worker lives', async () => undefined, 'no worker runs'],
    [
      'the process fell silent',
      async () => {
        await report('a');
        await books.sql(`update carillon.processes set seen_at = now() - interval '1 minute'`);
      },
      'no worker runs',
    ],
    [
      'nobody follows calls',
      () => report('a', { parts: ['planner', 'dialer'] }),
      'no process runs the tracker',
    ],
    [
      'a loop is stuck',
      () => report('a', { loops: [{ name: 'planner', age_ms: 60_000, stuck: true }] }),
      'the planner of one:1 is stuck',
    ],
    [
      'the process must not dial',
      () => report('a', { trouble: 'ledger-unconfirmed' }),
      'one:1 does not dial: ',
    ],
  ])('stops when %s', async (_, arrange, reason) => {
    await arrange();
    await beat();
    expect(asked).toEqual([]);
    expect((await last()).reason).toContain(reason);
  });

  it('goes on while another process does the work of one that is ill, and soon after it is well again', async () => {
    await report('a', { trouble: 'keys-differ' });
    await report('b', { parts: ['dialer'] });
    await beat();
    expect(asked).toHaveLength(1);
    await books.sql(`delete from carillon.processes where id = 'b'`);
    await pass(60);
    await beat();
    expect(asked).toHaveLength(1);
    await report('a');
    await pass(16);
    await beat();
    expect(asked).toHaveLength(2);
  });

  it('that the monitor does not take is told and tried again soon; a private network needs leave', async () => {
    await report('a');
    answers = 404;
    await beat();
    expect(await last()).toMatchObject({
      reason: 'HEARTBEAT_URL did not take it: it answered 404',
      beatAgo: null,
    });
    await pass(16);
    await beat(false);
    expect(asked).toHaveLength(1);
    const { reason } = await last();
    expect(reason).toContain('HEARTBEAT_URL starts with http://');
    expect(reason).not.toContain('secret');
  });

  it('reaches a monitor that was added without a restart, which tells what came of it, and not one sealed with another secret', async () => {
    await report('a');
    await beat(true, true);
    expect(asked).toEqual([]);
    const seal = createSeal(secret);
    const id = randomUUID();
    const sealed = seal.seal(JSON.stringify({ address: `${url}/added`, secret: null }), id);
    const other = randomUUID();
    const { alertAddresses } = house.ledger;
    const terms = { kind: 'monitor', shown: 'http://localhost/•••', only: [], atMost: 60 } as const;
    await alertAddresses.add({ id, sealed, ...terms }, 9);
    await alertAddresses.add({ id: other, sealed: `another.${sealed}`, ...terms }, 9);
    await beat(true, true);
    expect(asked).toEqual(['GET /ping/secret/added']);
    expect(await alertAddresses.find(id)).toMatchObject({ sent: 1, failed: 0, reason: null, held: 0 });
    expect(await alertAddresses.find(other)).toMatchObject({ sent: 0, failed: 0 });
    answers = 404;
    await pass(61);
    await beat();
    expect(asked.slice(1).toSorted()).toEqual(['GET /ping/secret', 'GET /ping/secret/added']);
    expect(await alertAddresses.find(id)).toMatchObject({ failed: 1, reason: 'it answered 404' });
    // While nobody dials, nobody asks, and nothing is the monitor's fault.
    await books.sql('delete from carillon.processes');
    await pass(61);
    await beat(true, true);
    expect(asked).toHaveLength(3);
    expect(await alertAddresses.find(id)).toMatchObject({ failed: 1 });
    for (const each of [id, other]) await alertAddresses.remove(each);
  });
});
