import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { type Embedded, startEmbedded } from '../../src/embedded/embedded.ts';
import { canMountDisks, openSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { query } from './homes.ts';

describe.runIf(canMountDisks('a full disk under the embedded Postgres'))('a disk that is full', () => {
  let disk: SmallDisk;
  let embedded: Embedded;
  const lines: { level: string; msg: string; why?: string }[] = [];
  beforeAll(async () => {
    disk = openSmallDisk(320);
    const log = createLog('info', { write: (line: string) => lines.push(JSON.parse(line)) });
    embedded = await startEmbedded({ home: join(disk.path, 'home'), log });
    await query(embedded.url, 'create table kept (n integer)');
  });
  afterAll(async () => {
    disk?.free();
    await embedded?.close();
    disk?.close();
  });

  it('ends the embedded Postgres, which says so in one line and comes back when there is room', async () => {
    await query(embedded.url, 'insert into kept values (1)');
    disk.fill();
    // The space that was allocated for its write-ahead log is used up.
    const write = () =>
      query(embedded.url, "select pg_logical_emit_message(true, 'test', repeat('x', 4000000))");
    await until(() =>
      write().then(
        () => false,
        () => true,
      ),
    );
    await until(() => lines.length > 0);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        why: expect.stringMatching(/^the disk of .* is full: free some space there/),
      }),
    ]);
    disk.free();
    await until(() => lines.length > 1);
    expect(lines.map((line) => line.msg)).toEqual([
      'the embedded Postgres has stopped and cannot be restarted yet',
      'the embedded Postgres had stopped and was restarted',
    ]);
    expect(await query(embedded.url, 'select n from kept')).toEqual([{ n: 1 }]);
  });

  it('is named when the embedded Postgres cannot start on it', async () => {
    const small = openSmallDisk(8);
    try {
      const home = join(small.path, 'home');
      await expect(startEmbedded({ home })).rejects.toMatchObject({
        code: 'embedded-unavailable',
        message: `the disk of ${home} is full`,
        remedy: 'Free some space there, then run it again.',
      });
    } finally {
      small.close();
    }
  });
});
