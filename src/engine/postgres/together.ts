import { createBatch } from '../../base/batch.ts';
import { createReach, pauseAfter } from './reach.ts';
import { answerOf, called, createFinder, type Opens, type QueueAnswer } from './times.ts';

/**
 * BullMQ's workers each finish and fetch one job at a time, in a statement and a commit of its own, and Postgres lets
 * notifying commits through one at a time. Here steps that come while others are in progress are sent together in the
 * next statement, by functions that do the same for many (jobs.sql). A step never waits when none is in progress. What
 * these functions do not know, such as a job that was lost to another worker, BullMQ's own do, one by one.
 */
export type Send = (text: string, values: unknown[] | undefined) => Promise<QueueAnswer>;

/** The most that go together: each waits for the others. */
const most = 100;

/** So often BullMQ looks for stalled jobs itself. */
const stalledMs = 60_000;

type Member = { text: string; values: unknown[] };
type Next = Member & {
  queue: string;
  ended: string | null;
  token: string;
  lockMs: number;
  now: number;
  name: string | null;
};

export function createTogether(send: Send, clock: () => number): Send {
  const reach = createReach(clock);
  const wholeAt = new Map<string, number>();
  const formOf = createFinder(forms);
  const next = createBatch((members: Next[]) => sendTogether(send, members, nextJobs), {
    most,
    momentMs: 0,
  });
  const delay = createBatch((members: Member[]) => sendTogether(send, members, delayJobs), {
    most,
    momentMs: 0,
  });
  return (text, values) => {
    if (values && stalled.test(text)) return failStalled(text, values);
    const member = values && formOf(text)?.(text, values);
    if (!member) return send(text, values);
    return 'queue' in member ? next(member) : delay(member);
  };

  /** BullMQ walks over all jobs that were ever active. It is only asked where one has stalled, and now and then. */
  async function failStalled(text: string, values: unknown[]): Promise<QueueAnswer> {
    const [queue, , now] = values as [string, number, number];
    const began = clock();
    if (began < (wholeAt.get(queue) ?? 0)) {
      const { rows } = await send(stalledText, [queue, now, now - 2 * stalledMs]);
      if (!rows[0]?.any) return answerOf();
    }
    const answer = await send(text, values);
    wholeAt.set(queue, clock() + pauseAfter(clock() - began, stalledMs));
    return answer;
  }

  async function nextJobs(members: readonly Next[]): Promise<QueueAnswer[]> {
    // Members of one queue stand together, and all are sorted: so are the locks that statements take.
    const sorted = members.toSorted((a, b) => order(a.queue, b.queue) || order(a.ended ?? '', b.ended ?? ''));
    const queues = sorted.map(({ queue }) => queue);
    const began = clock();
    const places = queues.map((queue) => reach.of(queue));
    const result = await send(nextText, [
      queues,
      sorted.map(({ ended }) => ended),
      sorted.map(({ token }) => token),
      sorted.map(({ lockMs }) => lockMs),
      sorted.map(({ now }) => now),
      sorted.map(({ name }) => name),
      places.map(({ after }) => after),
      places.map(({ since }) => since),
    ]);
    const tookMs = clock() - began;
    const jobs = new Map<Next, object>();
    const opens = new Map<string, Opens>();
    let seqs: number[] = [];
    for (const { nth, opens_at: at, rests_ms: restsMs, ...row } of result.rows) {
      const member = sorted[nth - 1]!;
      if (row.id !== null) {
        jobs.set(member, row);
        if (row.priority === 0) seqs.push(Number(row.seq));
        continue;
      }
      // The last row of a queue, by the time of the queue's last member.
      opens.set(member.queue, { opensAt: at === null ? null : Number(at), restsMs: Number(restsMs) });
      reach.saw(member.queue, seqs, member.now, tookMs);
      seqs = [];
    }
    return members.map((member) => {
      const row = jobs.get(member);
      return { ...answerOf(...(row ? [row] : [])), ...opens.get(member.queue)! };
    });
  }

  async function delayJobs(members: readonly Member[]): Promise<QueueAnswer[]> {
    const values = members.map((member) => member.values.slice(0, 5).map(String));
    const sorted = values.sort((a, b) => order(a[0]!, b[0]!) || order(a[1]!, b[1]!));
    const columns = [0, 1, 2, 3, 4].map((place) => sorted.map((each) => each[place]));
    await send(delayText, columns);
    return members.map(() => answerOf({ move_to_delayed: 1 }));
  }
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Where the server objects to one of them, each goes by itself, and that one by BullMQ's own statement. */
async function sendTogether<M extends Member>(
  send: Send,
  members: M[],
  sendAll: (members: readonly M[]) => Promise<QueueAnswer[]>,
): Promise<(QueueAnswer | Promise<QueueAnswer>)[]> {
  try {
    return await sendAll(members);
  } catch (error) {
    if (!isOfOne(error)) throw error;
    const [{ text, values }] = members as [M];
    if (members.length === 1) return [send(text, values)];
    const ended: PromiseSettledResult<QueueAnswer>[] = [];
    for (const member of members) {
      const alone = sendTogether(send, [member], sendAll).then(([answer]) => answer!);
      ended.push(...(await Promise.allSettled([alone])));
    }
    return ended.map((each) => (each.status === 'fulfilled' ? each.value : Promise.reject(each.reason)));
  }
}

const nextText =
  'SELECT n.nth, n.opens_at, n.rests_ms, (n.job).* FROM carillon_engine.next_jobs($1, $2, $3, $4, $5, $6, $7, $8) n';
const stalled = called('move_stalled_jobs_to_wait');
const stalledText = `SELECT EXISTS (SELECT FROM carillon_queue.job j WHERE j.queue = $1 AND j.state = 'active'
  AND j.locked_until_ms < $2 AND j.locked_until_ms > $3) AS any`;
const delayText = 'SELECT carillon_engine.delay_jobs($1, $2, $3, $4, $5)';

/** A statement of BullMQ's as a member; null where its own function is to do it. */
type Form = (text: string, values: unknown[]) => Next | Member | null;

/** No limiter counts here: a queue that rests does so because its row says so. */
const claim: Form = (text, values) => {
  const [queue, token, lockMs, now, name] = values as [string, string, number, number, string];
  return { text, values, queue, ended: null, token, lockMs, now, name };
};
const end: Form = (text, values) => {
  const [queue, ended, token, , , removes, , , lockMs, now, name] = values as [
    ...[string, string, string, unknown, unknown, boolean, unknown, unknown],
    ...[number, number, string],
  ];
  return removes ? { text, values, queue, ended, token, lockMs, now, name } : null;
};
const putOff: Form = (text, values) => {
  const [skips, reason, stack] = values.slice(5);
  return skips === true && reason === null && stack === null ? { text, values } : null;
};

const forms: readonly (readonly [RegExp, Form])[] = [
  [called('move_to_active'), claim],
  [called('move_to_completed_fetch'), end],
  [called('move_to_delayed'), putOff],
];

/** True if the server objects to what one of them asked for, not to itself or the way to it. */
function isOfOne(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code ?? '');
  return /^[0-9A-Z]{5}$/.test(code) && !/^(08|53|57|58|XX)/.test(code);
}
