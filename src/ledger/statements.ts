import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The ledger's statements: each noun's folder has its queries next to the verbs that call them, in one .sql file or a
 * few.
 */
export type Statement = {
  text: string;
  /** The names of its values, in the order of their numbers in the text. */
  names: readonly string[];
  /** The statement may touch as many rows as a list has; a line `-- long` says so. */
  long: boolean;
  /** Others may have work after it; a line `-- wakes` says so. */
  wakes: boolean;
};

const begins = /^-- name: (\S+)$/;

/**
 * A query begins at a line `-- name: x` and ends before the next. The text before the first is about the whole file.
 */
export function queriesOf(text: string): [name: string, query: string][] {
  const queries: [string, string[]][] = [];
  for (const line of text.split('\n')) {
    const name = begins.exec(line)?.[1];
    if (name) queries.push([name, []]);
    else queries.at(-1)?.[1].push(line);
  }
  return queries.map(([name, lines]) => [name, lines.join('\n').trim()]);
}

/**
 * A query names its values, `@laneId`, and Postgres numbers them. Comments are on lines of their own, so that a value
 * that only a comment names is none.
 */
function numbered(query: string): Pick<Statement, 'text' | 'names'> {
  const names: string[] = [];
  const text = query.replace(/^ *--.*$|(?<![\w@<])@([a-z]\w*)/gim, (found, name?: string) => {
    if (name === undefined) return found;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, names };
}

/** The statements of files of queries, such as attempts/open for the query `open` of a file in the folder attempts. */
export function statementsOf(files: Iterable<readonly [noun: string, text: string]>): Map<string, Statement> {
  const found = new Map<string, Statement>();
  for (const [noun, file] of files) {
    for (const [name, text] of queriesOf(file)) {
      const full = `${noun}/${name}`;
      if (found.has(full)) throw new Error(`the query ${full} stands twice`);
      if (text.split('\n').every((line) => line.startsWith('--') || !line.trim()))
        throw new Error(`the query ${full} is empty`);
      found.set(full, { ...numbered(text), long: /^-- long$/m.test(text), wakes: /^-- wakes$/m.test(text) });
    }
  }
  return found;
}

const folder = fileURLToPath(new URL('.', import.meta.url));
/** These create the schema and are not queries: see schema.ts. */
const laid = ['migrations', 'functions'];

export const statements: ReadonlyMap<string, Statement> = statementsOf(
  readdirSync(folder, { withFileTypes: true })
    .filter((noun) => noun.isDirectory() && !laid.includes(noun.name))
    .flatMap(({ name: noun }) =>
      readdirSync(join(folder, noun))
        .filter((file) => file.endsWith('.sql'))
        .map((file) => [noun, readFileSync(join(folder, noun, file), 'utf8')] as const),
    ),
);
