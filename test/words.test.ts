import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Argument, Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../src/base/error-catalogue.ts';
import { createCli } from '../src/cli/cli.ts';
import { createProgram } from '../src/cli/program.ts';

/** Plain English wherever a person reads: the simplest of its rules, those that a pattern can hold. */
const root = fileURLToPath(new URL('..', import.meta.url));

const odd: [RegExp, string][] = [
  [/\banew\b/i, 'again'],
  [/\bwhoever\b/i, 'anyone who'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bnobody\b[^.]{0,60}\balone\b/i, 'only'],
  [/\bgo(?:es)? on\b/i, 'continue'],
  [/\bis no (?!longer\b|more than\b)[a-z]/i, 'is not a'],
];

/** Sentences, also over several lines of a comment, that begin with a clause. Questions and titles may. */
const clauseFirst = new RegExp(
  [
    /(?:^[ \t]*|[.:;!?)] |[*/#|-] |['"`>])/,
    /(?:Who|Whom|Whose|What|(?:Of|For|By|To|From|With) (?:who|whom|whose|what)) (?!to do\b)[a-z`[]/,
    /(?:[^\n.?!:;<|'"]|[.:'"](?=[\w/])|\n[ \t]*(?:[*#]|\/\/|--)?[ \t]*(?=[\w`(]))*/,
    /(?:[.:;!](?=[\s'"`*)]|$)|\*\/)/,
  ]
    .map(({ source }) => source)
    .join(''),
  'gm',
);
const clauseNames =
  /\b(?:it|test|describe)\b[^'"`\n]*(?:\[.*\]\))?\(\s*['"`](?:to |of )?(?:who|whom|whose|what) /gm;

/** Each odd line with its place and the usual word. */
function oddIn(place: string, text: string): string[] {
  const words = text
    .split('\n')
    .flatMap((line, index) =>
      odd
        .filter(([pattern]) => pattern.test(line))
        .map(([, usual]) => `${place}:${index + 1}: say "${usual}": ${line.trim().slice(0, 160)}`),
    );
  const clauses = [clauseFirst, clauseNames].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${place}:${line}: name the subject first: ${found.trim().slice(0, 160)}`;
    }),
  );
  return [...words, ...clauses];
}

function textsOf(command: Command): string[] {
  const described = [command, ...command.options, ...command.registeredArguments] as const;
  return [
    ...described.map((each: Command | Option | Argument) =>
      'description' in each && typeof each.description === 'function' ? each.description() : each.description,
    ),
    ...command.commands.flatMap(textsOf),
  ] as string[];
}

/** Every file of the project, by its path from the top. */
function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => !['node_modules', 'dist', '.git', 'results'].includes(name))
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(join(root, path)).isDirectory() ? filesIn(path) : [path]));
}

const files = filesIn('.');
const self = 'test/words.test.ts';

describe('plain English', () => {
  it('is what the catalogue of errors is written in', () => {
    const found = Object.entries(catalogue).flatMap(([code, { title, remedy }]) =>
      oddIn(code, `${title}\n${remedy}`),
    );
    expect(found).toEqual([]);
  });

  it('is what commands and their options are described in', async () => {
    const { stdin, stdout, stderr } = process;
    const cli = createCli({ stdin, stdout, stderr, env: {}, cwd: root });
    const texts = textsOf(await createProgram(cli));
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.flatMap((text) => oddIn('help', text ?? ''))).toEqual([]);
  });

  it('is what the docs are written in', () => {
    const pages = files.filter((path) => path.endsWith('.md'));
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.flatMap((path) => oddIn(path, readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });

  it('is what comments, messages and test names are written in', () => {
    const sources = files.filter(
      (path) => /\.(?:tsx?|js|sql|lua|css|html|yml|example)$/.test(path) && path !== self,
    );
    expect(sources.length).toBeGreaterThan(300);
    expect(sources.flatMap((path) => oddIn(path, readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });
});
