// Writes llms.txt: what Carillon is, and every page of the docs with a line about it, for readers that are programs. The
// order and the sections are those of docs/README.md. Its links fit the repository and a server, which serves the docs
// at the same place.
import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

/** Sections that such a reader can skip, by the format's own word. */
const optional: Readonly<Record<string, string>> = { Internals: 'Optional' };

export function docsIndex(root: string): string {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const told = new Set<string>();
  const sections = `## Start\n${read('docs/README.md')}`.split(/^## /m).slice(1);
  const parts = sections.map((section) => {
    const [title = '', ...lines] = section.split('\n');
    const pages = [...lines.join('\n').matchAll(/\]\(([^)#:]+)/g)]
      .map(([, path]) => normalize(join('docs', path!)))
      .filter((path) => path.startsWith('docs/') && !told.has(path));
    for (const path of pages) told.add(path);
    const entries = [...new Set(pages)].map((path) => entryOf(path, read(path)));
    return entries.length > 0 ? `## ${optional[title] ?? title}\n\n${entries.join('\n')}` : '';
  });
  const [, summary] = /^# .*\n\n([\s\S]*?)\n\n/.exec(read('README.md'))!;
  return `${[
    '# Carillon',
    `> ${plain(summary!)}`,
    'A running Carillon serves these pages as Markdown, and each operation of its API at `/api/openapi.json`. Programs use `carillon/client`, plain HTTP, or the commands with `--json`. `carillon demo` and `carillon sim` call nobody; every other `run`, `start` and `call create` makes real calls.',
    ...parts.filter((part) => part !== ''),
  ].join('\n\n')}\n`;
}

function entryOf(path: string, text: string): string {
  if (!path.endsWith('.md')) return `- [${path.slice(path.lastIndexOf('/') + 1)}](${path})`;
  const [whole, title] = /^# (.*)$/m.exec(text)!;
  const body = text.slice(text.indexOf(whole) + whole.length).trim();
  const note = noteOf(body.slice(0, body.indexOf('\n\n')));
  return `- [${plain(title!)}](${path})${note ? `: ${note}` : ''}`;
}

/** Guides begin with a table of what one wants, other pages with a sentence. */
function noteOf(paragraph: string): string {
  if (paragraph.startsWith('|')) {
    const rows = [...paragraph.matchAll(/^\| (.*?) \|/gm)].slice(1);
    return plain(rows.map(([, wish]) => wish).join('; '));
  }
  if (/^(?:```|<)/.test(paragraph)) return '';
  return plain(/^[\s\S]*?\.(?=\s|$)/.exec(paragraph)?.[0] ?? paragraph).replace(/[.:]$/, '');
}

const plain = (text: string) =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .replaceAll('\n', ' ');
