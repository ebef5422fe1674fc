// One build at a time in a folder: a file names the process that builds. A killed build leaves it behind.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

export async function takeLock(lock) {
  mkdirSync(dirname(lock), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    let holder = '';
    try {
      holder = readFileSync(lock, 'utf8');
    } catch {
      continue;
    }
    // Empty between its creation and its content.
    if (holder !== '' && !isAlive(Number(holder))) rmSync(lock, { force: true });
    else await sleep(100);
  }
}
