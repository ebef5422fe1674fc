import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';

/** A Sentinel that watches the master at this port, by the name `calls`; `lines` are more of its settings. */
export async function startSentinel(master: number, lines: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-sentinel-'));
  const config = join(folder, 'sentinel.conf');
  const settings = [
    `sentinel monitor calls 127.0.0.1 ${master} 1`,
    'sentinel down-after-milliseconds calls 1000',
    'sentinel failover-timeout calls 5000',
    ...lines,
  ];
  writeFileSync(config, `${settings.join('\n')}\n`);
  const port = await freePort();
  const sentinel = spawn('redis-server', [config, '--sentinel', '--port', String(port)], {
    stdio: 'ignore',
  });
  const ended = once(sentinel, 'exit');
  return {
    port,
    async close() {
      sentinel.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
