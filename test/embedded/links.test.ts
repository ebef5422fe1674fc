import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile } from '../../src/base/disk-errors.ts';
import { chooseAccount } from '../../src/embedded/account.ts';

/** The account of the embedded server, when root starts it: it must not become the owner of root's files. */
const account = process.getuid?.() === 0 ? chooseAccount('/nonexistent') : undefined;

let top: string;
let racer: ChildProcess | undefined;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'carillon-links-'));
  chmodSync(top, 0o711);
});
afterEach(async () => {
  if (racer && racer.exitCode === null && racer.signalCode === null) {
    const ended = once(racer, 'exit');
    racer.kill('SIGKILL');
    await ended;
  }
  rmSync(top, { recursive: true, force: true });
});

/** Puts a link in the place of a file, again and again. */
const swap = `
  const { renameSync, symlinkSync, writeSync } = require('node:fs');
  const [victim, place] = process.argv.slice(1);
  writeSync(1, 'ready');
  for (;;) {
    try {
      symlinkSync(victim, place + '.link');
      renameSync(place + '.link', place);
    } catch {}
  }`;

describe.skipIf(account === undefined)('the server’s account (needs root)', () => {
  it('does not get a file of root by a link in the place of one that root writes for it', async () => {
    const victim = join(top, 'victim');
    writeFileSync(victim, 'of root', { mode: 0o600 });
    const folder = join(top, 'ledger');
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, account!.uid, account!.gid);
    const path = join(folder, 'carillon.port');
    const args = ['-e', swap, victim, `${path}.${process.pid}.draft`];
    racer = spawn(process.execPath, args, { ...account, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
    await once(racer.stdout!, 'data');
    let written = 0;
    for (let n = 0; n < 3_000 && statSync(victim).uid === 0; n++) {
      try {
        replaceFile(path, String(n), account);
        written++;
      } catch (error) {
        // The link was there first: nothing is written through it.
        expect((error as NodeJS.ErrnoException).code).toMatch(/^(?:EEXIST|ELOOP|ENOENT)$/);
      }
    }
    expect(statSync(victim)).toMatchObject({ uid: 0, size: 'of root'.length });
    expect(written).toBeGreaterThan(0);
  });

  it('does not get what a link in the place of its file leads to', () => {
    const victim = join(top, 'victim');
    writeFileSync(victim, 'of root', { mode: 0o600 });
    const path = join(top, 'file');
    symlinkSync(victim, `${path}.${process.pid}.draft`);
    replaceFile(path, 'ours', account);
    expect([statSync(victim).uid, statSync(path).uid]).toEqual([0, account!.uid]);
  });
});
