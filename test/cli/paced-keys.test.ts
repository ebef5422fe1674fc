import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/base/config/config.ts';
import { createLog } from '../../src/base/log.ts';
import { withPacedKeys } from '../../src/cli/ledger-address.ts';

test('where no ledger is, a wait for the next token ends at once with Ctrl-C', async () => {
  const home = mkdtempSync(join(tmpdir(), 'carillon-tokens-'));
  try {
    const config = loadConfig({ CARILLON_HOME: home, VOICE_API_KEYS: 'secret', VOICE_RATE: '0.01' });
    const stop = new AbortController();
    await withPacedKeys(config, createLog('silent'), async (take) => {
      expect(await take('default', stop.signal)).toEqual({ ok: true });
      const second = take('default', stop.signal);
      setTimeout(() => stop.abort(), 50);
      expect((await second).ok).toBe(false);
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
