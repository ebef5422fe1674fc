import { currentActor, isEnough } from '../../base/actor.ts';
import type { Database } from '../database.ts';
import type { KeptRecord } from '../kept-record.ts';

/**
 * The words of calls are read apart from the lines of a list: only for those who may see people, and no more at once
 * than a process can hold for many readers. A list of a thousand people may have a quarter of a gigabyte of them.
 */
export type Said = Pick<KeptRecord, 'transcript' | 'structured_data' | 'metadata'>;
/** A line without the words. `said`: the attempt whose words they are; `bytes`: their size. */
export type Unsaid<Line extends Said> = Omit<Line, keyof Said> & {
  said: string | null;
  bytes: number | null;
};
/** The first rows of a list that may be read at once, at least one; `isCut` if there are others. */
export type Cut<Row> = { rows: Row[]; isCut: boolean };

const mostBytes = 4 * 1024 * 1024;
const nothing: Said = { transcript: null, structured_data: null, metadata: null };

export function createSaid(db: Database) {
  const first = async <Line extends Said>(lines: readonly Unsaid<Line>[]): Promise<Cut<Line>> => {
    const maySee = isEnough(currentActor().role, 'read_people');
    let count = 0;
    for (let bytes = 0; count < lines.length; count++) {
      bytes += maySee ? (lines[count]!.bytes ?? 0) : 0;
      if (bytes > mostBytes && count > 0) break;
    }
    const part = lines.slice(0, count);
    const ids = part.flatMap(({ said, bytes }) => (maySee && said !== null && bytes ? [said] : []));
    const rows = ids.length > 0 ? await db.query('reports/said', { ids }) : [];
    const words = new Map(rows.map(({ id, ...said }) => [id, said as Said]));
    const whole = part.map(({ said, bytes: _, ...line }) => ({
      ...line,
      ...((said !== null && words.get(said)) || nothing),
    }));
    return { rows: whole as unknown as Line[], isCut: count < lines.length };
  };

  return {
    first,

    /** All lines, in parts. */
    async *parts<Line extends Said>(lines: readonly Unsaid<Line>[]): AsyncGenerator<Line[]> {
      for (let rest = lines; rest.length > 0; ) {
        const { rows }: Cut<Line> = await first(rest);
        yield rows;
        rest = rest.slice(rows.length);
      }
    },
  };
}
