import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Transaction } from '../database.ts';

/** The parts of an import's COPY: each line's place in the list, the lines that are kept back, and the copying. */

type Placed = { row: number };

/**
 * The rows that are added to a list follow its last one without a gap, whatever stands between them in the body: a
 * header, or people who are on the list already. In a new list, each has its place in the input.
 */
export function createFollower(lastRow: number): (fresh: Placed[]) => (line: Placed) => number {
  if (lastRow === 0) return () => (line) => line.row;
  let last = lastRow;
  return (fresh) => {
    const rows = new Map(
      fresh
        .map(({ row }) => row)
        .sort((a, b) => a - b)
        .map((row) => [row, ++last] as const),
    );
    return ({ row }) => rows.get(row) ?? last;
  };
}

/** The most that is kept back between the rows: lines, and their characters. */
const mostKept = 5_000;
const mostKeptText = 10_000_000;

export function createKept() {
  const lines = new Map<string, string[]>();
  let count = 0;
  let text = 0;
  return {
    lines,
    add(target: string, line: string) {
      const of = lines.get(target);
      if (of) of.push(line);
      else lines.set(target, [line]);
      count++;
      text += line.length;
    },
    isFull: () => count >= mostKept || text >= mostKeptText,
  };
}

export async function copy(
  tx: Transaction,
  target: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const into = tx.client.query(copyFrom(`copy ${target} from stdin`));
  await pipeline(Readable.from(lines, { objectMode: true, highWaterMark: 2 }), into);
}
