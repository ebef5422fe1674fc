import type { JournalEntry } from '../../simulator/journal.ts';
import { createAlibi } from './alibi.ts';
import type { AttemptRow, Evidence } from './evidence.ts';
import { createForgiveness } from './losses.ts';
import { personOf as findPerson } from './people.ts';
import { findSent } from './sent.ts';

/** Compares the service's journal with the ledger and the results, row by row. Pure: evidence in, sentences out. */
export type Violation = { rule: Rule; count: number; examples: string[] };

export const rules = [
  'a number was called twice',
  'two calls to one phone overlapped',
  'a phone was called more often or sooner than the contact rules allow',
  'a caller number had more calls at once than the order allows',
  'the calls cost more than the budget, by more than one call',
  'the campaign did not finish',
  'the service made a call that is not in the ledger',
  'a row is lost, or is in two states',
  'somebody was dialled after a suppression',
  'somebody was dialled after a cancel, a pause or the end of the window',
  'somebody was called, or a campaign ran, on a ledger that had lost history',
  'a create that may have placed a call was not marked unknown',
  'an attempt is unknown without a reason',
  'an attempt that never left reached the service',
  'the ledger’s audit fails',
  'a queue is not empty',
  'something is still running',
  'two processes used one data directory',
  'a result differs from the ledger or the service',
] as const;
export type Rule = (typeof rules)[number];

/** A request sent just before a window closes may still arrive; the stations allow 2 s for it. */
const wakeMs = 2_000;
const mostExamples = 5;

export function judge(evidence: Evidence): Violation[] {
  const found = new Map<Rule, string[]>();
  const accuse = (rule: Rule, words: string) => {
    const list = found.get(rule) ?? [];
    found.set(rule, [...list, words]);
  };
  const personOf = (phone: string | null) =>
    phone === null || evidence.numbers === 1 ? (phone ?? '') : findPerson(phone, evidence.people.length);
  const byPerson = groupBy(evidence.attempts, (attempt) => personOf(attempt.phone));
  const created = groupBy(
    evidence.creates.filter((entry) => entry.call !== null),
    (entry) => personOf(entry.phone ?? null),
  );
  const moves = groupBy(evidence.moves, (move) => move.attempt);
  const was = (attempt: AttemptRow, kind: string) =>
    moves.get(attempt.id)?.some((move) => move.kind === kind) ?? false;

  /** For one person, over all lists and numbers. */
  const mostCalls = evidence.mostAttempts * evidence.sharing;
  const forgotten = createForgiveness(evidence);
  const moved = evidence.ended === 'unsettled';
  if (moved) accuse('the campaign did not finish', 'its rows, queues and results are not judged');
  judgeCalls();
  judgePool();
  judgeBudget();
  if (!moved) judgeRows();
  judgeBans();
  judgeDoubts();
  for (const words of forgotten.findBreaches())
    accuse('somebody was called, or a campaign ran, on a ledger that had lost history', words);
  const told = evidence.creates.filter((entry) => !forgotten.hides(entry));
  for (const words of findSent({ ...evidence, creates: told }))
    accuse('an attempt that never left reached the service', words);
  if (!moved) judgeResults();
  if (evidence.audit.code !== 0) accuse('the ledger’s audit fails', evidence.audit.words);
  for (const [queue, jobs] of Object.entries(evidence.queues))
    if (jobs > 0 && !moved) accuse('a queue is not empty', `${queue}: ${jobs} jobs`);
  for (const breach of evidence.breaches) accuse('two processes used one data directory', breach);
  for (const leftover of evidence.leftovers) accuse('something is still running', leftover);
  return [...found].map(([rule, list]) => ({
    rule,
    count: list.length,
    examples: list.slice(0, mostExamples),
  }));

  function mayFollow(status: string | undefined): boolean {
    return status !== undefined && evidence.retried.includes(status);
  }

  function judgeOverlaps(phone: string, entries: readonly JournalEntry[]): void {
    const inOrder = [...entries].sort((a, b) => a.at - b.at);
    for (const [i, entry] of inOrder.entries()) {
      const next = inOrder[i + 1];
      const end = evidence.ends.get(entry.call!);
      if (next && end !== undefined && next.at < end)
        accuse(
          'two calls to one phone overlapped',
          `${phone}: ${tellCreate(next)}, ${Math.round(end - next.at)} ms before the end of ${tellCreate(entry)}`,
        );
    }
  }

  /** By the service's own clock: a request arrives after its intent, and a call has ended before the ledger knows it. */
  function judgeRules(phone: string, entries: readonly JournalEntry[]): void {
    if (!evidence.policy) return;
    const { calls, perSeconds, gapSeconds } = evidence.policy;
    const rule = 'a phone was called more often or sooner than the contact rules allow';
    const inOrder = [...entries].sort((a, b) => a.at - b.at);
    for (const [i, entry] of inOrder.entries()) {
      const oldest = inOrder[i - calls];
      // The oldest counts from its intent, which its request may have left by as much.
      if (oldest && entry.at - oldest.at < perSeconds * 1_000 - wakeMs)
        accuse(rule, `${phone}: ${calls + 1} calls from ${tellCreate(oldest)} to ${tellCreate(entry)}`);
      const before = inOrder[i - 1];
      const end = before && evidence.ends.get(before.call!);
      if (end !== undefined && entry.at < end + gapSeconds * 1_000)
        accuse(
          rule,
          `${phone}: ${tellCreate(entry)}, ${entry.at - end} ms after ${tellCreate(before!)} ended`,
        );
    }
  }

  function judgeCalls(): void {
    for (const [phone, entries] of created) {
      const mine = byPerson.get(phone) ?? [];
      const known = new Set(mine.flatMap((attempt) => attempt.callId ?? []));
      const lateCalls = new Set(
        mine.flatMap((attempt) =>
          (moves.get(attempt.id) ?? [])
            .filter((move) => move.kind === 'late-call')
            .map((move) => move.detail),
        ),
      );
      // Every attempt may have one call, so a phone may not have more calls than the order allows attempts.
      judgeOverlaps(phone, entries);
      // The contact rules are of each number.
      for (const [number, calls] of groupBy(entries, (entry) => entry.phone ?? '')) judgeRules(number, calls);
      const beyond = forgotten.beyond(entries, mine);
      const tooMany = entries.length > mostCalls + beyond || forgotten.early(entries).length > mostCalls;
      if (tooMany) accuse('a number was called twice', `${phone}: ${entries.map(tellCreate).join(' and ')}`);
      // And the call before must be known to have ended in a status that allows another. If several lists share a
      // person, the next call may belong to another list, and only an overlap is wrong.
      const hasty = entries
        .slice(0, -1)
        .filter(
          (entry, i) =>
            !mayFollow(evidence.records.get(entry.call!)) ||
            (!known.has(entry.call!) && !forgotten.hides(entries[i + 1]!)),
        );
      if (evidence.sharing === 1 && !tooMany && hasty.length > 0)
        accuse('a number was called twice', `${phone}: ${entries.map(tellCreate).join(' and ')}`);
      const strays = entries.filter((entry) => !known.has(entry.call!) && !lateCalls.has(entry.call!));
      const doubtful = mine.filter((attempt) => attempt.callId === null && was(attempt, 'unknown')).length;
      if (strays.length - beyond > doubtful)
        accuse(
          'the service made a call that is not in the ledger',
          `${phone}: ${strays.map(tellCreate).join(' and ')}`,
        );
    }
  }

  /** By the service's own clock, in which a call begins after its intent, and ends before the ledger knows it. */
  function judgePool(): void {
    const { pool } = evidence;
    if (pool === null) return;
    const begun = new Map(
      evidence.creates.flatMap(({ call, at }) => (call === null ? [] : [[call, at] as const])),
    );
    const dated = evidence.calls.flatMap(({ id, from }) => {
      const [start, end] = [begun.get(id), evidence.ends.get(id)];
      return from === null || start === undefined
        ? []
        : [{ from, start, end: end ?? Number.POSITIVE_INFINITY }];
    });
    for (const [from, calls] of groupBy(dated, (call) => call.from))
      for (const { start } of calls) {
        const atOnce = calls.filter((other) => other.start <= start && other.end > start).length;
        if (atOnce > pool)
          accuse(
            'a caller number had more calls at once than the order allows',
            `${from}: ${atOnce} at ${new Date(start).toISOString().slice(11, 23)}, ${pool} are allowed`,
          );
      }
  }

  function judgeBudget(): void {
    const { budget } = evidence;
    if (budget === null) return;
    const costs = evidence.calls.map(({ cost }) => cost);
    const sum = costs.reduce((total, cost) => total + cost, 0);
    const dearest = costs.reduce((most, cost) => Math.max(most, cost), 0);
    if (sum > budget + dearest)
      accuse(
        'the calls cost more than the budget, by more than one call',
        `${sum.toFixed(2)} of ${budget}; the dearest call cost ${dearest.toFixed(2)}`,
      );
  }

  function judgeRows(): void {
    const seen = groupBy(evidence.recipients, (recipient) => personOf(recipient.phone));
    const listed = groupBy(evidence.results, (row) => personOf(row.phone));
    const final = new Set(['done', 'unknown', 'rejected', 'skipped']);
    if (evidence.ended === 'closed') final.add('waiting');
    for (const phone of evidence.people) {
      const mine = seen.get(phone) ?? [];
      const rows = listed.get(phone) ?? [];
      if (mine.length !== evidence.sharing || rows.length !== evidence.sharing)
        accuse(
          'a row is lost, or is in two states',
          `${phone}: ${mine.length} times in the ledger, ${rows.length} times in the results`,
        );
      for (const { state } of mine)
        if (!final.has(state)) accuse('a row is lost, or is in two states', `${phone}: ${state} at the end`);
    }
    for (const recipient of evidence.recipients) {
      if (recipient.state === 'skipped' && evidence.ended !== 'canceled' && !recipient.suppressedAt)
        accuse('a row is lost, or is in two states', `${recipient.phone}: skipped without a reason`);
    }
  }

  function judgeBans(): void {
    const suppressed = new Map(evidence.recipients.map((each) => [each.phone, each.suppressedAt]));
    for (const attempt of evidence.attempts) {
      if (forgotten.wasMarked(attempt)) continue;
      for (const move of moves.get(attempt.id) ?? []) {
        if (move.kind !== 'dialing') continue;
        const since = suppressed.get(attempt.phone);
        if (since && move.at > since)
          accuse(
            'somebody was dialled after a suppression',
            `${attempt.phone}: opened ${Math.round(move.at - since)} ms after it, attempt ${attempt.id}`,
          );
        const ban = evidence.bans.find(
          (each) => isOfPeople(each) && move.at > each.from && move.at < each.to,
        );
        if (ban)
          accuse(
            'somebody was dialled after a cancel, a pause or the end of the window',
            `${attempt.phone}: opened ${Math.round(move.at - ban.from)} ms after it was ${ban.why}, attempt ${attempt.id}`,
          );
      }
    }
    for (const ban of evidence.bans.filter((each) => each.why !== 'lost'))
      for (const entry of evidence.creates)
        if (entry.at > ban.from + allowedMs(ban, entry.at) && entry.at < ban.to)
          accuse(
            'somebody was dialled after a cancel, a pause or the end of the window',
            `${entry.phone}: create sent ${Math.round(entry.at - ban.from)} ms after it was ${ban.why}`,
          );
  }

  /** A pause or a cancel was answered before its ban: nothing leaves any more, unless the harness held it on its way. */
  function allowedMs({ why, from }: Evidence['bans'][number], at: number): number {
    if (why === 'closed') return wakeMs;
    const held = evidence.troubles.some(
      (each) => each.what === 'service' && each.from < at && each.to > from - wakeMs,
    );
    return held ? Number.POSITIVE_INFINITY : 0;
  }

  function judgeDoubts(): void {
    const alibi = createAlibi(evidence);
    for (const entry of evidence.creates) {
      if (!entry.phone || isClear(entry)) continue;
      const mine = byPerson.get(personOf(entry.phone)) ?? [];
      const seen = mine.some(
        (attempt) => was(attempt, 'unknown') || (entry.call !== null && attempt.callId === entry.call),
      );
      if (!seen)
        accuse(
          'a create that may have placed a call was not marked unknown',
          `${entry.phone}: ${tellCreate(entry)}, attempts ${mine.map((each) => each.state).join()}`,
        );
    }
    const barred = new Set(evidence.recipients.flatMap((each) => (each.suppressedAt ? [each.phone] : [])));
    for (const { phone, state, repeatable, reason } of evidence.attempts)
      if (repeatable && state === 'unknown' && evidence.ended === 'done' && !barred.has(phone))
        accuse(
          'an attempt is unknown without a reason',
          `${phone}: ${reason}, and its create may be sent again`,
        );
    const asked = groupBy(evidence.creates, (entry) => personOf(entry.phone ?? null));
    for (const attempt of evidence.attempts) {
      // An attempt that a journal freed was in doubt for a while only, and findSent judges whether that was
      // right.
      if (!was(attempt, 'unknown') || ['stale', 'unsent'].includes(attempt.reason ?? '')) continue;
      const entries = asked.get(personOf(attempt.phone)) ?? [];
      if (entries.some((entry) => !isClear(entry))) continue;
      if (forgotten.wasMarked(attempt) || forgotten.wasPutBack(attempt) || alibi.excuses(attempt)) continue;
      accuse(
        'an attempt is unknown without a reason',
        `${attempt.phone}: ${attempt.detail ?? attempt.reason}; ${entries.map(tellCreate).join(' and ') || 'no create arrived'}`,
      );
    }
  }

  function judgeResults(): void {
    const ledger = new Map(
      evidence.recipients.map((each) => [`${each.campaign} ${personOf(each.phone)}`, each]),
    );
    const calls = new Map(
      evidence.attempts.flatMap((each) => (each.callId ? [[each.callId, each] as const] : [])),
    );
    const wrong = (words: string) => accuse('a result differs from the ledger or the service', words);
    for (const row of evidence.results) {
      const recipient = ledger.get(`${row.campaign} ${personOf(row.phone)}`);
      if (!recipient) wrong(`${row.phone}: not in the ledger`);
      else if (row.state !== recipient.state || row.outcome !== (recipient.outcome ?? ''))
        wrong(
          `${row.phone}: ${row.state} ${row.outcome}, the ledger has ${recipient.state} ${recipient.outcome}`,
        );
      if (!row.call_id) {
        const called =
          evidence.sharing === 1 &&
          row.state === 'done' &&
          (created.get(personOf(row.phone))?.length ?? 0) > 0;
        if (called) wrong(`${row.phone}: done without a call id, though it was called`);
        continue;
      }
      const status = evidence.records.get(row.call_id);
      if (status === undefined) wrong(`${row.phone}: the service knows no call ${row.call_id}`);
      else if (
        row.state === 'done' &&
        ((evidence.tellsStatus && row.status !== status) || row.outcome !== outcomeOf(status))
      )
        wrong(`${row.phone}: ${row.status} ${row.outcome}, the service has ${status}`);
      if (calls.get(row.call_id)?.phone !== row.phone)
        wrong(`${row.phone}: ${row.call_id} belongs to another phone`);
    }
  }
}

const isOfPeople = ({ why }: Evidence['bans'][number]) => why === 'paused' || why === 'canceled';

/** Whether this answer tells for certain what happened. */
function isClear(entry: JournalEntry): boolean {
  if (typeof entry.answer !== 'number') return false;
  if (['broken-json', 'html', 'redirect', 'other-phone', 'same-id'].includes(entry.fault ?? '')) return false;
  return entry.answer < 300 || (entry.answer >= 400 && entry.answer < 500 && entry.answer !== 408);
}

/** Our outcome for a status of the simulator. */
function outcomeOf(status: string): string {
  return status === 'completed' ? 'answered' : status;
}

function tellCreate(entry: JournalEntry): string {
  const fault = entry.fault ? ` (${entry.fault})` : '';
  return `create ${entry.seq} at ${new Date(entry.at).toISOString().slice(11, 23)} -> ${entry.answer}${fault} ${entry.call ?? 'no call'}`;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
