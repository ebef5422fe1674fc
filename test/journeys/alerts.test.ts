import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openDesk } from '../support/carillon.ts';
import { until } from '../support/journeys.ts';
import { startReceiver } from '../support/receiver.ts';

/** What goes wrong in a process that runs reaches people, and a monitor hears while it does its work. */
it('carillon up tells Slack of a key without credit, and a monitor that dialling works', async () => {
  const slack = await startReceiver();
  slack.answer = () => 200;
  let beats = 0;
  const monitor = createServer((_, response) => {
    beats += 1;
    response.end('OK');
  });
  monitor.listen(0, '127.0.0.1');
  await once(monitor, 'listening');
  const desk = await openDesk('postgres', { credits: 0 });
  const env = {
    PORT: '0',
    WEBHOOK_ALLOW_PRIVATE: '1',
    HEARTBEAT_URL: `http://127.0.0.1:${(monitor.address() as AddressInfo).port}/beat`,
  };
  try {
    const up = desk.start(['up'], env);
    await up.prints(/Workers run/);
    await until(() => beats > 0, 'a beat');
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await desk.start(words, env).ended;
      expect(code, stderr).toBe(0);
      return stdout;
    };
    await run('alert', 'add', 'slack', slack.url, '--only', 'critical');
    const call = await desk.start(['call', 'create', '--to', '+14155550123', '--agent', 'a'], env).ended;
    expect(call.code, call.stderr).toBe(3);
    await slack.takes(1);
    expect(slack.taken[0]!.event.text).toBe('Carillon: critical: A key has no credit');
    expect(await run('alert', 'list')).toMatch(/slack\s+active/);
    const { checks } = JSON.parse(await run('doctor', '--json'));
    const told = Object.fromEntries(
      checks.map(({ what, state, detail }: Record<string, string>) => [what, `${state}: ${detail}`]),
    );
    expect(told.alerts).toBe('ok: 1 address is told of them');
    expect(told.heartbeat).toMatch(/^ok: the last was \d+ s ago$/);
    up.child.kill('SIGTERM');
    await up.ended;
  } finally {
    await desk.close();
    await slack.leave();
    monitor.close();
  }
});
