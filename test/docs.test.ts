import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../scripts/reference.ts';
import { laneStates } from '../src/ledger/lanes/lanes.ts';
import { waitReasons } from '../src/rules/wait-reason.ts';
import type { FaultKind } from '../src/voice/faults.ts';
import { outcomes } from '../src/voice/outcomes.ts';
import { workerNames } from '../workers/loops.ts';

/** The docs are consistent: every link has a target, and every page is in the index. */
const root = fileURLToPath(new URL('..', import.meta.url));
const pages = [
  ...readdirSync(root),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
  ...readdirSync(join(root, 'examples')).map((name) => `examples/${name}`),
].filter((path) => path.endsWith('.md'));

const read = (path: string) => readFileSync(join(root, path), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

function linksOf(page: string): { path: string; anchor: string | undefined }[] {
  return [...read(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map((link) => ({
    path: link[1] ? normalize(join(dirname(page), link[1])) : page,
    anchor: link[2],
  }));
}

/** A heading's anchor, as code hosts make it. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map((heading) =>
    heading[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the docs', () => {
  it.each(pages)('have no broken link: %s', (page) => {
    const broken = linksOf(page).filter(
      ({ path, anchor }) =>
        !existsSync(join(root, path)) ||
        (anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).includes(anchor)),
    );
    expect(broken).toEqual([]);
  });

  it('list every page in their index', () => {
    const linked = linksOf('docs/README.md').map((link) => link.path);
    const missing = pages.filter(
      (page) => page.startsWith('docs/') && page !== 'docs/README.md' && !linked.includes(page),
    );
    expect(missing).toEqual([]);
  });

  it('name only tests that exist, and one for each line of what may be away', () => {
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/`(test\/[\w./-]+\.ts)`/g)].map((name) => name[1]!),
    );
    expect([...new Set(named)].filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const lines = read('docs/internals/reliability.md')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| what /.test(line));
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.filter((line) => !line.includes('`test/'))).toEqual([]);
  });

  it('say of commands and settings what the code says; `npm run reference` writes it', async () => {
    for (const [path, text] of await referencePages()) {
      expect(readFileSync(join(root, path), 'utf8'), path).toBe(text);
    }
  });

  it('name no command, option or metric that does not exist', () => {
    const commands = readFileSync(join(root, 'docs/reference/cli.md'), 'utf8');
    const metricsTold = readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8');
    const options = new Set(commands.match(/--[a-z0-9][a-z0-9-]*/g));
    const rows = [...commands.matchAll(/^\| `(carillon(?: [a-z-]+)+)/gm)].map((row) => row[1]!.split(' '));
    const known = new Set(rows.flatMap((words) => [words.slice(0, 2).join(' '), words.join(' ')]));
    const isCommand = (said: string[]) => {
      const words = said.filter((word, at) => at !== 1 || word !== 'help');
      return known.has(words.slice(0, 2).join(' ')) || known.has(words.slice(0, 3).join(' '));
    };
    // The changelog tells of what was, and internals of tools that are not the program.
    const told = pages.filter((page) => page !== 'CHANGELOG.md' && !page.startsWith('docs/internals/'));
    const wrong = told.flatMap((page) => {
      const spans = [...read(page).matchAll(/`([^`]+)`/g)].map((span) => span[1]!);
      const metrics = readFileSync(join(root, page), 'utf8').match(
        /\bcarillon_(?:key|loop|call|clock|may)_\w+|\bcarillon_\w+_total\b|\bcarillon_attempts\b/g,
      );
      return [
        ...spans.filter((span) => /^carillon [a-z]/.test(span) && !isCommand(span.split(' '))),
        ...spans
          .filter((span) => /^(?:carillon|--)/.test(span))
          .flatMap((span) => span.match(/--[a-z][a-z0-9-]*/g) ?? [])
          .filter((option) => !options.has(option) && option !== '--help' && option !== '--version'),
        ...(metrics ?? []).filter((name) => !metricsTold.includes(`\`${name}\``)),
      ].map((name) => `${page}: ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  it.each(['docs/reference/states.md', 'docs/guides/troubleshooting.md'])(
    'tell each reason why a row waits: %s',
    (page) => {
      expect(waitReasons.filter((reason) => !read(page).includes(`\`${reason}\``))).toEqual([]);
    },
  );

  it('name no setting that does not exist', () => {
    const known = [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(
      (row) => row[1]!,
    );
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/`(VOICE_[A-Z_]+)(?:=[^`]*)?`/g)].map((name) => name[1]!),
    );
    expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the glossary', () => {
  const page = read('docs/reference/glossary.md');
  const terms = [...page.matchAll(/^\| (\*\*.*?\*\*) \|/gm)].flatMap((row) => boldOf(row[1]!));

  it('has each word once', () => {
    expect(terms.length).toBeGreaterThan(60);
    expect(boldOf(page).filter((word, at, all) => all.indexOf(word) !== at)).toEqual([]);
  });

  it('names every outcome, every fault, every state of a key and every worker', () => {
    const said = new Set([...page.matchAll(/[\w-]+/g)].map((word) => word[0]));
    const faults: Record<FaultKind, true> = {
      busy: true,
      full: true,
      'no-credit': true,
      denied: true,
      refused: true,
      lost: true,
      unreachable: true,
    };
    const values = [...outcomes, ...Object.keys(faults), ...laneStates, ...workerNames];
    expect(values.filter((value) => !said.has(value))).toEqual([]);
  });

  function boldOf(text: string): string[] {
    return [...text.matchAll(/\*\*(.+?)\*\*/g)].map((word) => word[1]!);
  }
});
