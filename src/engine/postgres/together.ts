import type { QueryResult } from 'pg';
import { type Batch, createBatch } from '../../base/batch.ts';
import { called, type QueueAnswer } from './times.ts';

/**
 * BullMQ's workers each finish and fetch one job at a time, in a statement and a commit of its own, and Postgres lets
 * notifying commits through one at a time. Here calls of a function that come while one of it is in progress are sent
 * together in the next statement, which calls BullMQ's own function for each. A call never waits when none is in
 * progress.
 */
export type Send = (text: string, values: unknown[] | undefined) => Promise<QueueAnswer>;

/** The most that go together: each takes half a millisecond, and waits for the others. */
const most = 50;

export function createTogether(send: Send): Send {
  const batches = new Map<string, Batch<unknown[], QueueAnswer> | null>();
  const batchOf = (text: string) => {
    const known = batches.get(text);
    if (known !== undefined) return known;
    const form = functions.find(({ called }) => called.test(text));
    const sendAll = (members: unknown[][]) => sendTogether(send, text, form!, members);
    const batch = form ? createBatch(sendAll, { most, momentMs: 0 }) : null;
    batches.set(text, batch);
    return batch;
  };
  return (text, values) => {
    const batch = values && batchOf(text);
    return batch ? batch(values) : send(text, values);
  };
}

/** `told` also tells when a worker may next find a job: a busy queue is asked again in any case. */
type Form = { called: RegExp; text: string; told: string | null; columns: number };

/** So many members at most are told. */
const few = 8;

/** The answers in the order of the members. */
async function sendTogether(
  send: Send,
  text: string,
  form: Form,
  members: unknown[][],
): Promise<(QueueAnswer | Promise<QueueAnswer>)[]> {
  const tells = form.told !== null && members.length <= few;
  if (members.length === 1 && !tells) return [await send(text, members[0])];
  // Members of one queue stand together, and the queues are sorted: so are the locks that processes take.
  const places = members.map((_, nth) => nth);
  places.sort((a, b) => String(members[a]![0]).localeCompare(String(members[b]![0]), 'en'));
  const columns = Array.from({ length: form.columns }, (_, nth) => places.map((at) => members[at]![nth]));
  try {
    const result = await send(tells ? form.told! : form.text, columns);
    const rows = members.map((): object[] => []);
    const opens = new Map<unknown, number | null>();
    for (const { nth, opens_at: opensAt, ...row } of result.rows) {
      const at = places[Number(nth) - 1]!;
      if (!tells || row.id !== null) rows[at]!.push(row);
      // The last member of a queue has seen what the others took.
      if (tells) opens.set(members[at]![0], opensAt === null ? null : Number(opensAt));
    }
    return rows.map((own, at) => {
      const answer = { ...result, rows: own, rowCount: own.length };
      return tells ? { ...answer, opensAt: opens.get(members[at]![0])! } : answer;
    });
  } catch (error) {
    if (members.length === 1 || !isOfOne(error)) throw error;
    // A job that was lost to another worker undoes the statement, but only that job is at fault.
    const ended: PromiseSettledResult<QueryResult>[] = [];
    for (const values of members) ended.push(...(await Promise.allSettled([send(text, values)])));
    return ended.map((each) => (each.status === 'fulfilled' ? each.value : Promise.reject(each.reason)));
  }
}

const claims = /^move_to_(active|completed_fetch)$/;

const functions: readonly Form[] = (
  [
    ['move_to_active', 'text text bigint bigint text integer bigint'],
    [
      'move_to_completed_fetch',
      'text text text jsonb bigint boolean bigint integer bigint bigint text integer bigint',
    ],
    ['move_to_delayed', 'text text text bigint bigint boolean text jsonb'],
    ['next_signal', 'text integer bigint'],
  ] as const
).map(([name, types]) => ({ called: called(name), ...textOf(name, types.split(' ')) }));

/** The columns of the row that the function answers with, or its value under its name in BullMQ's own statement. */
function textOf(name: string, types: readonly string[]): Omit<Form, 'called'> {
  const places = types.map((type, nth) => `$${nth + 1}::${type === 'jsonb' ? 'text' : type}[]`);
  const names = types.map((_, nth) => `a${nth}`);
  const values = types.map((type, nth) => (type === 'jsonb' ? `m.a${nth}::jsonb` : `m.a${nth}`));
  const members = `FROM unnest(${places.join(', ')}) WITH ORDINALITY AS m(${names.join(', ')}, nth)`;
  const call = `LATERAL ${name}(${values.join(', ')}) AS n`;
  const told = `SELECT m.nth, n.*, carillon_engine.opens_at(m.a0) ${members} LEFT JOIN ${call} ON true`;
  return {
    text: `SELECT m.nth, n.* ${members} CROSS JOIN ${call}`,
    told: claims.test(name) ? told : null,
    columns: types.length,
  };
}

/** True if the server objects to what one of them asked for, not to itself or the way to it. */
function isOfOne(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code ?? '');
  return /^[0-9A-Z]{5}$/.test(code) && !/^(08|53|57|58|XX)/.test(code);
}
