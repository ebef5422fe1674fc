/** The journal's file: lines are appended in the order of the answers and flushed on close. */
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { unwritable } from '../src/base/disk-errors.ts';

export type Appender = { append(line: string): void; close(): Promise<void> };

export async function openAppender(path: string): Promise<Appender> {
  try {
    await (await open(path, 'a')).close();
  } catch (error) {
    throw unwritable(`The journal ${path}`, error);
  }
  const stream = createWriteStream(path, { flags: 'a' });
  // A full disk must not end the service. Lines the file misses are still in the journal in memory.
  stream.on('error', () => {});
  return {
    append: (line) => void stream.write(line),
    close: () =>
      new Promise((resolve) => {
        if (stream.destroyed) return resolve();
        stream.once('close', resolve);
        stream.end();
      }),
  };
}
