import type { QueryResult } from 'pg';
import { called } from './times.ts';

/**
 * BullMQ's workers each finish and fetch one job at a time, in a statement and a commit of its own, and Postgres lets
 * commits that notify through one by one. Here those that ask for the same function while one of it is under way go
 * together in the next statement, which calls BullMQ's own function for each. Nothing waits where nothing is under way.
 */
export type Send = (text: string, values: unknown[] | undefined) => Promise<QueryResult>;

/** A function of BullMQ's, and the types of its arguments; the first one is the queue. */
type Form = { text: string; columns: number };
type Member = {
  values: unknown[];
  resolve(result: QueryResult): void;
  reject(error: unknown): void;
};

/** As many as a connection's round trip is worth waiting for: each takes half a millisecond. */
const most = 50;

export function createTogether(send: Send): Send {
  const forms = new Map<string, Form | null>();
  const formOf = (text: string): Form | null => {
    const known = forms.get(text);
    if (known !== undefined) return known;
    const form = functions.find(({ form }) => form.test(text)) ?? null;
    forms.set(text, form && { text: textOf(form), columns: form.types.length });
    return forms.get(text)!;
  };
  /** Those that wait, by statement; without an entry none is under way. Two at once would deadlock with each other. */
  const waiting = new Map<string, Member[]>();

  const run = async (text: string, form: Form, members: Member[]): Promise<void> => {
    const [only] = members;
    await (members.length === 1 ? alone(text, only!) : sendAll(text, form, members));
    const next = waiting.get(text)!.splice(0, most);
    if (next.length > 0) void run(text, form, next);
    else waiting.delete(text);
  };
  const alone = (text: string, { values, resolve, reject }: Member) =>
    send(text, values).then(resolve, reject);

  const sendAll = async (text: string, form: Form, members: Member[]): Promise<void> => {
    // Those of one queue stand together, and the queues in their order: so do the locks that processes take.
    members.sort((a, b) => String(a.values[0]).localeCompare(String(b.values[0]), 'en'));
    const columns = Array.from({ length: form.columns }, (_, nth) =>
      members.map(({ values }) => values[nth]),
    );
    try {
      const result = await send(form.text, columns);
      const rows = members.map((): object[] => []);
      for (const { nth, ...row } of result.rows) rows[Number(nth) - 1]!.push(row);
      members.forEach((member, nth) => {
        member.resolve({ ...result, rows: rows[nth]!, rowCount: rows[nth]!.length });
      });
    } catch (error) {
      // A job that was lost to another worker undoes the statement: it is that job's fault alone.
      if (isOfOne(error)) for (const member of members) await alone(text, member);
      else for (const { reject } of members) reject(error);
    }
  };

  return (text, values) => {
    const form = values && formOf(text);
    if (!form) return send(text, values);
    return new Promise((resolve, reject) => {
      const member = { values, resolve, reject };
      const others = waiting.get(text);
      if (others) return void others.push(member);
      waiting.set(text, []);
      void run(text, form, [member]);
    });
  };
}

const functions: readonly { form: RegExp; name: string; types: readonly string[] }[] = (
  [
    ['move_to_active', 'text text bigint bigint text integer bigint'],
    [
      'move_to_completed_fetch',
      'text text text jsonb bigint boolean bigint integer bigint bigint text integer bigint',
    ],
    ['move_to_delayed', 'text text text bigint bigint boolean text jsonb'],
    ['next_signal', 'text integer bigint'],
  ] as const
).map(([name, types]) => ({ form: called(name), name, types: types.split(' ') }));

/** The columns of the row that the function answers with, or its value under its name in BullMQ's own statement. */
function textOf({ name, types }: { name: string; types: readonly string[] }): string {
  const places = types.map((type, nth) => `$${nth + 1}::${type === 'jsonb' ? 'text' : type}[]`);
  const names = types.map((_, nth) => `a${nth}`);
  const values = types.map((type, nth) => (type === 'jsonb' ? `m.a${nth}::jsonb` : `m.a${nth}`));
  return `SELECT m.nth, n.* FROM unnest(${places.join(', ')}) WITH ORDINALITY AS m(${names.join(', ')}, nth)
    CROSS JOIN LATERAL ${name}(${values.join(', ')}) AS n`;
}

/** The server's word about what one of them asked for, and not about itself or the way to it. */
function isOfOne(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code ?? '');
  return /^[0-9A-Z]{5}$/.test(code) && !/^(08|53|57|58|XX)/.test(code);
}
