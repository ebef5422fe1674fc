import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Field } from './strike.ts';

/** Two containers on one data directory: processes with PID and IPC namespaces of their own. Only one may use it. */
const container = ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc'];
const startedMs = 90_000;
const refusedMs = 60_000;

export async function playTwins({ ground, diary }: Field): Promise<void> {
  if (spawnSync(container[0]!, [...container.slice(1), 'true']).status !== 0) {
    diary.note('twins were not played: unshare is not allowed here');
    return;
  }
  const home = join(ground.folder, 'twins');
  mkdirSync(home, { mode: 0o711 });
  chmodSync(ground.folder, 0o711);
  const env = { ...ground.directEnv, CARILLON_HOME: home, DATABASE_URL: undefined, REDIS_URL: undefined };
  const start = () => {
    const args = [...container.slice(1), process.execPath, ground.program, 'up'];
    return spawn(container[0]!, args, {
      cwd: ground.folder,
      env: env as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  const first = start();
  try {
    if ((await startOrEnd(first, startedMs)) !== 'started') {
      diary.note('twins were not played: the first did not start');
      return;
    }
    await refuse('while the other runs');
    // Its server dies with its namespace, without a word.
    const gone = once(first, 'close');
    first.kill('SIGKILL');
    await gone;
    await refuse('after the other was killed');
  } finally {
    first.kill('SIGKILL');
  }

  async function refuse(when: string): Promise<void> {
    const second = start();
    const how = await startOrEnd(second, refusedMs);
    diary.count(`twins ${when}: ${how}`);
    if (how === 'started') diary.breaches.push(`a second process used ${home} ${when}`);
    second.kill('SIGKILL');
  }
}

async function startOrEnd(
  child: ChildProcess,
  deadlineMs: number,
): Promise<'started' | 'refused' | 'silent'> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve) => {
      let said = '';
      child.stdout!.on('data', (chunk) => {
        said += chunk;
        if (/listens on \S+/.test(said)) resolve('started');
      });
      child.stderr!.resume();
      child.once('close', (code) => resolve(code === null ? 'silent' : 'refused'));
      timer = setTimeout(() => resolve('silent'), deadlineMs);
    });
  } finally {
    clearTimeout(timer);
  }
}
