import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder, read, root, version } from './support/checkout.ts';

/** A release is made by machines: what they are told, and that everything they run is named by its full version. */

describe('the notes of a release', () => {
  const folder = emptyFolder('release');

  function notes(tag: string, changelog: string) {
    mkdirSync(join(folder, 'scripts'), { recursive: true });
    copyFileSync(join(root, 'scripts/release-notes.js'), join(folder, 'scripts/release-notes.mjs'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.2.0' }));
    writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
    const script = join(folder, 'scripts/release-notes.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, tag], { encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  const dated =
    '# Changelog\n\n## [1.2.0] - 2026-01-31\n\n### Added\n\n- A door.\n\n## [1.1.0] - 2026-01-01\n\n- Old.\n';

  it('are the section of that version only', () => {
    expect(notes('v1.2.0', dated)).toEqual({ status: 0, stdout: '### Added\n\n- A door.\n', stderr: '' });
  });

  it.each([
    ['the tag names another version', 'v1.3.0', dated, /package\.json has version 1\.2\.0/],
    [
      'the changelog does not know the version',
      'v1.2.0',
      '## [1.1.0] - 2026-01-01\n',
      /no section \[1\.2\.0\]/,
    ],
    ['the section has no date', 'v1.2.0', '## [1.2.0] - unreleased\n', /has no date/],
  ])('are refused in one line when %s', (_when, tag, changelog, why) => {
    const told = notes(tag, changelog);
    expect([told.status, told.stdout, told.stderr.trim().split('\n').length]).toEqual([1, '', 1]);
    expect(told.stderr).toMatch(why);
  });

  it('have a section to come from', () => {
    expect(read('CHANGELOG.md')).toContain(`## [${version}] - `);
  });
});

describe('everything that builds, checks and runs us', () => {
  it('takes each action at a commit, and says which version that is', () => {
    const workflows = readdirSync(join(root, '.github/workflows'));
    expect(workflows.sort()).toEqual(['ci.yml', 'release.yml']);
    const used = workflows.flatMap((name) => read(`.github/workflows/${name}`).match(/uses: .*/g) ?? []);
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    // One action, one version.
    const names = new Set(used.map((line) => line.split('@')[0]));
    expect(new Set(used).size).toBe(names.size);
  });

  it('asks each night for advisories of main and of the latest release', () => {
    const [, job] = /^ {2}advisories:\n((?: {4}.*\n|\n)+)/m.exec(read('.github/workflows/ci.yml'))!;
    const script = /run: \|\n((?: {10}.*\n)+)/.exec(job!)![1]!.replace(/^ {10}/gm, '');
    const folder = mkdtempSync(join(tmpdir(), 'carillon-advisories-'));
    try {
      const told = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o755 });
      const env = {
        ...process.env,
        PATH: `${folder}:${process.env.PATH}`,
        RUNNER_TEMP: join(folder, 'temp'),
      };
      const git = (...args: string[]) => execFileSync('git', args, { cwd: join(folder, 'repo'), env });
      const audit = () => spawnSync('bash', ['-e', '-c', script], { cwd: join(folder, 'repo'), env });
      told('npm', '#!/bin/sh\ncat lock\n');
      mkdirSync(join(folder, 'repo'));
      git('init', '-q');
      const commit = (text: string) => {
        writeFileSync(join(folder, 'repo/lock'), text);
        git('add', 'lock');
        git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', text);
      };
      commit('before');
      expect([audit().status, String(audit().stdout)]).toEqual([0, '']);
      git('tag', 'v0.1.0');
      commit('after');
      expect(String(audit().stdout)).toBe('before');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('takes each image at its full version', () => {
    const images = [
      ...read('Dockerfile').matchAll(/^FROM (\S+)/gm),
      ...read('docker-compose.yml').matchAll(/^\s+image: (\S+)/gm),
    ].map((match) => match[1]!);
    const others = images.filter((image) => image !== 'carillon');
    expect(others.length).toBeGreaterThan(3);
    // Those of the publishers themselves come in one variant, the others name theirs.
    const isWhole = (image: string) =>
      /^[a-z]+\/[a-z-]+:\d+\.\d+\.\d+$/.test(image) || /^[a-z]+:\d+\.\d+(\.\d+)?-/.test(image);
    expect(others.filter((image) => !isWhole(image))).toEqual([]);
    // All have three numbers, but Postgres two.
    expect(others.filter((image) => !/^postgres:|:\d+\.\d+\.\d+(-|$)/.test(image))).toEqual([]);
  });

  it('reads .ci/run as a shell does', () => {
    expect(() => execFileSync('bash', ['-n', join(root, '.ci/run')])).not.toThrow();
  });
});
