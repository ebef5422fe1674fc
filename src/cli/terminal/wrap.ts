import type { Writable } from 'node:stream';

/**
 * Long lines on a terminal: broken between words, because a terminal itself breaks within them. A command to copy stays
 * whole: pasted in two pieces, the first would run without the options of the second.
 */
export type TerminalStream = Writable & { isTTY?: boolean; columns?: number };

/** The number of columns; without a terminal a line may have any length. */
export function widthOf({ isTTY, columns }: TerminalStream): number {
  return isTTY && columns ? Math.max(20, columns) : Number.POSITIVE_INFINITY;
}

/** A text of any number of lines, for this screen. */
export function wrapFor(screen: TerminalStream, text: string): string {
  const width = widthOf(screen);
  if (width === Number.POSITIVE_INFINITY) return text;
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .join('\n');
}

/** Continues under the text if the line begins with a label, else under its first word. */
export function wrapLine(line: string, width: number): string[] {
  if (seenWidth(line) <= width) return [line];
  const [lead] = /^ */.exec(line)!;
  const [label = ''] = /^ *\S+(?: \S+)*? {2,}(?=\S)/.exec(line) ?? [];
  const indent = label.length > 0 && label.length <= width / 2 ? ' '.repeat(label.length) : lead;
  const lines: string[] = [];
  let open = lead;
  for (const [, gap = '', word = ''] of line.slice(lead.length).matchAll(words)) {
    const isFirst = open.trim() === '';
    if (isFirst || seenWidth(open) + gap.length + seenWidth(word) <= width) {
      open += isFirst ? word : gap + word;
      continue;
    }
    lines.push(open);
    open = indent + word;
  }
  return [...lines, open];
}

/** A command in backticks is one word, and so is one that ends its line. */
const words = /( *)((?<=: |^)carillon [a-z].*$|[^\s`]*`[^`]+`\S*|\S+)/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with an escape character
const escapes = /\x1b\[[0-9;]*m/g;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u;

/** The columns that a text takes: colours take none, and the characters of some scripts two. */
export function seenWidth(text: string): number {
  let width = 0;
  for (const character of text.replace(escapes, '')) width += wide.test(character) ? 2 : 1;
  return width;
}
