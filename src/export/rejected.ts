import { csvLine } from './cell.ts';
import { openTarget, type Target } from './target.ts';

/** Writes the rejected rows with their line and reason, so that they can be fixed and imported again. */
export type RejectedLine = { row: number; reason: string; input: Record<string, unknown> };

/** Always CSV: `line,reason`, then the input's own columns as `in_<column>`. Resolves to the number of rows. */
export async function writeRejected(
  target: Target,
  columns: readonly string[],
  rows: AsyncIterable<RejectedLine[]>,
): Promise<number> {
  const out = await openTarget(target);
  let count = 0;
  try {
    await out.write(csvLine(['line', 'reason', ...columns.map((column) => `in_${column}`)]));
    for await (const batch of rows) {
      const lines = batch.map(({ row, reason, input }) =>
        csvLine([row, reason, ...columns.map((column) => input[column])]),
      );
      await out.write(lines.join(''));
      count += batch.length;
    }
    await out.finish();
  } catch (error) {
    await out.abandon();
    throw error;
  }
  return count;
}

/** The rejects of `people.results.csv` are next to it, in `people.results.rejected.csv`. */
export function rejectedPath(out: string): string {
  return `${stemOf(out)}.rejected.csv`;
}

/** The attempts of `people.results.csv` are in `people.results.attempts.csv`, in the same format. */
export function attemptsPath(out: string): string {
  const stem = stemOf(out);
  return `${stem}.attempts${out.slice(stem.length)}`;
}

function stemOf(out: string): string {
  return out.replace(/(?<=[^/\\])\.[^./\\]+$/, '');
}
