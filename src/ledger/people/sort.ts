import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Transaction } from '../database.ts';
import { isErased } from '../erasures/erasures.ts';
import {
  type NewRecipient,
  neverLine,
  numbersOf,
  type PeopleBatch,
  personLine,
  phoneLines,
  rejectLine,
  repairLine,
  stageLine,
} from './lines.ts';

/** How an import's rows are sorted by where they go, and copied. */

/** The state that an import finds, and how its rows go in. */
export type ImportWay = {
  campaignId: string;
  /** Nothing was ever imported into the list. */
  first: boolean;
  whole: boolean;
  /** Its rejects are written as they are: there are no others. */
  keepsRejects: boolean;
  /** There were rejects before. */
  hasRejects: boolean;
  /** The last row of a list that is added to: new rows stand behind it. */
  lastRow: number;
  /** Makes the tables for what is staged, when the first line needs them: a short list of new people needs none. */
  stage(): Promise<void>;
  /** Which of these phones are on the list. */
  known(phones: string[]): Promise<ReadonlySet<string>>;
};
export type ImportCounts = {
  accepted: number;
  rejected: number;
  /** How many went to the stage, and how many straight into the list. */
  staged: number;
  added: number;
  /** People with several numbers. */
  several: number;
  /** Rejected rows of people who were erased, and stand on the list. */
  erased: number;
};

export const nobody: ReadonlySet<string> = new Set();

/** The tables that lines go to, as COPY names them. */
export const targets = {
  list: 'carillon.recipients (campaign_id, row, phone, ref, name, agent, place, input, variables, several)',
  stage: 'stage (row, phone, ref, name, agent, place, input, variables, several, never, own_place)',
  phones: 'stage_phones (person, nth, phone, place, passed)',
  rejects: 'carillon.rejects (campaign_id, row, reason, input)',
  stagedRejects: 'stage_rejects (row, reason, input)',
  repairs: 'repairs (line, reason)',
};

/** A whole file that replaces a list is staged, so that its people are told from those who are gone. */
export function goesToList({ first, whole }: ImportWay): boolean {
  return first || !whole;
}

type Sorting = {
  counts: ImportCounts;
  follow: ReturnType<typeof createFollower>;
  keep(target: string, line: string): void;
};

/** Counts a batch and keeps back what goes elsewhere; returns the lines for the COPY in hand. */
export async function sortBatch(
  batch: PeopleBatch,
  way: ImportWay,
  { counts, follow, keep }: Sorting,
): Promise<string[]> {
  const { accepted, rejected } = batch;
  const { campaignId, keepsRejects } = way;
  const toList = goesToList(way);
  const known = toList ? await way.known(phonesOf(batch)) : nobody;
  const isKnown = (person: NewRecipient) => numbersOf(person).some((phone) => known.has(phone));
  const rowOf = follow([...accepted.filter((person) => !isKnown(person)), ...rejected]);
  const lines: string[] = [];
  for (const person of accepted) {
    const placed = { ...person, row: rowOf(person) };
    if (person.phones) {
      keep(targets.phones, phoneLines(person));
      counts.several++;
    }
    if (!toList) lines.push(stageLine(placed));
    else if (isKnown(person)) keep(targets.stage, stageLine(placed));
    else lines.push(`${campaignId}\t${personLine(placed)}\n`);
  }
  const added = toList ? lines.length : 0;
  counts.accepted += accepted.length;
  counts.rejected += rejected.length;
  counts.added += added;
  counts.staged += accepted.length - added;
  for (const reject of rejected) {
    const { phone } = reject;
    // People whom the order never lets through may be on the list already: the merge finds out.
    if (!toList && phone !== undefined) lines.push(neverLine(reject));
    // A person who was erased and is on the list: that row is theirs.
    else if (phone !== undefined && known.has(phone) && isErased(phone)) counts.erased++;
    else if (keepsRejects) keep(targets.rejects, `${campaignId}\t${rejectLine(reject)}\n`);
    else keep(targets.stagedRejects, `${rejectLine({ ...reject, row: rowOf(reject) })}\n`);
  }
  if (!keepsRejects && way.hasRejects) {
    for (const { repairs } of [...accepted, ...rejected])
      if (repairs) keep(targets.repairs, repairLine(repairs));
  }
  return lines;
}

/** The phones of a batch that may be on the list already. */
function phonesOf({ accepted, rejected }: PeopleBatch): string[] {
  const phones = accepted.flatMap(numbersOf);
  for (const { phone } of rejected) if (phone !== undefined && isErased(phone)) phones.push(phone);
  return phones;
}

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
