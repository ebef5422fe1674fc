import { unwatchFile, watchFile } from 'node:fs';
import type { Clock } from '../clock.ts';
import { errorLine } from '../errors.ts';
import type { Stoppable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { Config } from './config.ts';
import { type ApiKey, readKeyFile } from './keys.ts';

/** The keys that this process has now. The keys of VOICE_API_KEYS_FILE come, go and change while it runs. */
export type KeyRing = Stoppable & {
  keys(): readonly ApiKey[];
  /** Since when it has them. */
  since(): Date;
  /** Starts to notice changes of the file; SIGHUP also reads it again. */
  watch(): void;
  onChange(listener: () => void): void;
};

/** The file is polled, not watched, so that a replaced file or one behind a link is noticed too. */
const lookMs = 2_000;

export function createKeyRing(config: Pick<Config, 'voice'>, clock: Pick<Clock, 'now'>, log: Log): KeyRing {
  const { keyFile, ownKeys } = config.voice;
  const listeners: (() => void)[] = [];
  let { keys } = config.voice;
  let since = new Date(clock.now());

  const readAgain = () => {
    if (keyFile === undefined) return;
    try {
      const read = [...ownKeys, ...readKeyFile(keyFile, ownKeys)];
      if (JSON.stringify(read) === JSON.stringify(keys)) return;
      keys = read;
    } catch (error) {
      log.error(`${errorLine(error)} The keys stay as they were.`);
      return;
    }
    since = new Date(clock.now());
    log.info({ keys: keys.map(({ name }) => name) }, 'the keys were read again');
    for (const listener of listeners) listener();
  };

  let watches = false;
  return {
    name: 'keys',
    keys: () => keys,
    since: () => since,
    watch() {
      if (watches || keyFile === undefined) return;
      watches = true;
      watchFile(keyFile, { interval: lookMs, persistent: false }, readAgain);
      process.on('SIGHUP', readAgain);
    },
    onChange: (listener) => void listeners.push(listener),
    close() {
      if (!watches) return;
      unwatchFile(keyFile!, readAgain);
      process.off('SIGHUP', readAgain);
    },
  };
}
