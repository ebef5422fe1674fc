import { readFileSync } from 'node:fs';
import type { JournalEntry } from '../../simulator/journal.ts';
import type { CallSeen } from '../../simulator/world.ts';
import { openRecords } from '../support/csv.ts';
import type { Life } from './crew.ts';
import type { Ban, Loss, Trouble } from './diary.ts';
import { ask } from './postgres.ts';
import type { StormPolicy } from './schedule.ts';
import type { Service } from './service.ts';

/** The evidence of a round, read once when it has ended: the service's journal, the ledger, the results. */
export type AttemptRow = {
  id: string;
  phone: string;
  state: string;
  reason: string | null;
  detail: string | null;
  callId: string | null;
  dialer: string | null;
  dialingAt: number | null;
  status: string | null;
  outcome: string | null;
  /** Its create may be sent again. */
  repeatable?: boolean;
};

export type RecipientRow = {
  campaign: string;
  phone: string;
  row: number;
  state: string;
  outcome: string | null;
  attempts: number;
  suppressedAt: number | null;
};

/** A move of an attempt, by the ledger's clock. */
export type Move = { attempt: string; kind: string; detail: string | null; at: number };

export type ResultRow = {
  campaign: string;
  phone: string;
  state: string;
  outcome: string;
  call_id: string;
  status: string;
};

export type Evidence = {
  people: readonly string[];
  /** How many campaigns call the same people. */
  sharing: number;
  /** How many phone numbers each person has. */
  numbers: number;
  /** Most calls at once from each caller number. */
  pool: number | null;
  /** What the campaign may cost. */
  budget: number | null;
  mostAttempts: number;
  /** The contact rules that all processes dialled by. */
  policy: StormPolicy | null;
  /** A call with one of these statuses may be followed by another. */
  retried: readonly string[];
  creates: JournalEntry[];
  attempts: AttemptRow[];
  recipients: RecipientRow[];
  moves: Move[];
  results: ResultRow[];
  /** Whether a record tells the same word as the service for how a call ended. */
  tellsStatus: boolean;
  /** How each call that the service made really ended. */
  records: Map<string, string>;
  /** When each call ended, by the service's clock. */
  ends: Map<string, number>;
  /** From which number each call was made, and what it cost. */
  calls: readonly Pick<CallSeen, 'id' | 'from' | 'cost'>[];
  lives: readonly Life[];
  troubles: readonly Trouble[];
  bans: readonly Ban[];
  losses: readonly Loss[];
  timeoutMs: number;
  audit: { code: number | null; words: string };
  /** Jobs left, by queue. */
  queues: Record<string, number>;
  /** Faults that the harness itself saw: two processes on one data directory. */
  breaches: readonly string[];
  /** Processes that should have ended. */
  leftovers: string[];
  /**
   * `canceled` and `closed` (its window): people may be left undialled. `unsettled`: it was still moving at the
   * harness's deadline, so its results are not judged.
   */
  ended: 'done' | 'canceled' | 'closed' | 'unsettled';
};

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

/** A live attempt holds its dialer; for one that became unknown, the history does. */
const attempts = `
select a.id, a.phone, a.state, a.reason, a.detail, a.call_id as "callId",
  coalesce(l.dialer, (select h.detail from carillon.history h
    where h.attempt_id = a.id and h.kind = 'dialing' and h.detail is not null order by h.at desc limit 1)) as dialer,
  ${ms('a.dialing_at')} as "dialingAt", a.status, a.outcome, l.sent is not null as repeatable
from carillon.all_attempts a left join carillon.attempts l on l.id = a.id`;

const recipients = `
select c.name as campaign, r.phone, r.row, r.state, r.outcome, r.attempts, ${ms('pg_xact_commit_timestamp(s.xmin)')} as "suppressedAt"
from carillon.people r join carillon.campaigns c on c.id = r.campaign_id
left join carillon.suppressions s on s.phone = r.phone`;

const moves = `
select attempt, kind, detail, ${ms('at')} as at from (
  select id as attempt, 'dialing' as kind, null as detail, dialing_at as at
  from carillon.all_attempts where dialing_at is not null
  union all
  select attempt_id, kind, detail, at from carillon.history where attempt_id is not null
) m order by m.at`;

export async function readLedger(url: string): Promise<Pick<Evidence, 'attempts' | 'recipients' | 'moves'>> {
  return {
    attempts: await ask<AttemptRow>(url, attempts),
    recipients: await ask<RecipientRow>(url, recipients),
    moves: await ask<Move>(url, moves),
  };
}

export function readResults(path: string, campaign: string): ResultRow[] {
  const rows = openRecords(readFileSync(path, 'utf8')) as Omit<ResultRow, 'campaign'>[];
  return rows.map((row) => ({ ...row, campaign }));
}

/** How each call really ended, and when. */
export async function readRecords(service: Service): Promise<Pick<Evidence, 'records' | 'ends' | 'calls'>> {
  const calls = await service.calls();
  return {
    calls: calls.map(({ id, from, cost }) => ({ id, from, cost })),
    records: new Map(calls.map(({ id, status }) => [id, status])),
    ends: new Map(calls.flatMap(({ id, ended_at: at }) => (at === null ? [] : [[id, Date.parse(at)]]))),
  };
}
