import { type ShownCampaign, showBalance } from '../../control/campaigns/show.ts';
import type { Standing } from '../../ledger/reports/reports.ts';
import { sumsOf } from '../../ledger/tallies/tallies.ts';
import { isNeverFound } from '../../voice/opt-out.ts';

/** A campaign's balance and what it used: one JSON line for programs, a few lines for people. */
export type Summary = { campaign: string } & ReturnType<typeof showBalance> & { seconds: number };

export function summaryOf(standing: Standing, seconds: number): Summary {
  return beginSummary(standing.campaign, showBalance(standing), seconds);
}

/** The same for a run that did not begin: how it would begin. */
export function beginSummary(
  campaign: string,
  balance: ReturnType<typeof showBalance>,
  seconds: number,
): Summary {
  return { campaign, ...balance, seconds: Math.round(seconds * 10) / 10 };
}

/** The summary of a list that was not read to its end, or of which nothing was stored: every accepted row waits. */
export function readSummary(
  campaign: string,
  { accepted, rejected }: { accepted: number; rejected: number },
  seconds: number,
): Summary {
  const tally = { waiting: accepted, refused: rejected };
  return beginSummary(campaign, showBalance(sumsOf({ tally, live: {}, requests: 0, polls: 0 })), seconds);
}

/** How many accepted rows are of people who were on the list; empty if none are. */
export function knownWords({ known, changed }: { known: number; changed: number }, change: string): string {
  return known === 0 ? '' : `${count(known)} on the list already, of which ${count(changed)} ${change}`;
}

/** Why people are skipped, the most frequent reasons first. */
export function skipWords(skips: readonly { reason: string; rows: number }[]): string {
  const shown = skips.slice(0, mostReasons).map(({ reason, rows }) => `${count(rows)} ${reason}`);
  const others = skips.slice(mostReasons).reduce((sum, { rows }) => sum + rows, 0);
  return [...shown, ...(others > 0 ? [`${count(others)} for other reasons`] : [])].join(', ');
}
const mostReasons = 4;

export function rejectWords(rows: { rejected: number; duplicates: number; never: number }): string {
  const { rejected, duplicates, never } = rows;
  const others = rejected - duplicates - never;
  const some = (n: number, words: string) => (n > 0 ? [words] : []);
  return [
    ...some(duplicates, counted(duplicates, 'duplicate')),
    ...some(never, `${count(never)} who can never be called`),
    ...some(others, `${count(others)} that cannot be taken`),
  ].join(', ');
}

/** A warning about the path of an opt-out, or null. */
export function optOutWarning(seen: Standing['optOuts']): string | null {
  if (!isNeverFound(seen)) return null;
  return `nobody can opt out: none of the records of ${counted(seen.read, 'conversation')} has the path of the opt-out; check --opt-out, or optOut in the profile`;
}

const order = ['answered', 'voicemail', 'no-answer', 'busy', 'failed', 'canceled', 'dropped'];

export function outcomeWords(outcomes: Record<string, number>): string {
  return order
    .filter((name) => outcomes[name])
    .map((name) => `${name} ${count(outcomes[name]!)}`)
    .join(', ');
}

export function summaryLines(s: Summary): string[] {
  const lines = [balanceLine(s)];
  const outcomes = outcomeWords(s.outcomes);
  if (outcomes) lines.push(`Outcomes: ${outcomes}`);
  const spent = spentWords(s);
  lines.push(
    `Spent: ${spent}${s.cost === null ? '' : `, cost ${s.cost.toFixed(2)}`}, ${duration(s.seconds)}`,
  );
  return lines;
}

/** `500 rows: 480 done, 20 rejected`. */
export function balanceLine(s: Omit<Summary, 'campaign' | 'seconds'>): string {
  const parts = (
    ['done', 'waiting', 'queued', 'calling', 'parked', 'unknown', 'skipped', 'rejected'] as const
  )
    .filter((name) => name === 'done' || s[name] > 0)
    .map((name) => `${count(s[name])} ${name}`);
  return `${counted(s.rows, 'row')}: ${parts.join(', ')}`;
}

/** `616 attempts, 2,514 requests of which 1,898 polls`. */
export function spentWords(s: { attempts: number; requests: number; polls: number }): string {
  return `${counted(s.attempts, 'attempt')}, ${counted(s.requests, 'request')} of which ${counted(s.polls, 'poll')}`;
}

type Answers = ShownCampaign['answers'];

/** `9 of 16 ended calls, 56.3 %` */
export function answeredWords({
  answered,
  calls,
  connect_rate: rate,
}: Pick<Answers, 'answered' | 'calls' | 'connect_rate'>): string {
  return `${count(answered)} of ${counted(calls, 'ended call')}${shareWords(rate)}`;
}

/** `8 of 11 people called, 72.7 %` */
export function reachedWords({
  people_reached: reached,
  people_called: called,
  reach_rate: rate,
}: Pick<Answers, 'people_reached' | 'people_called' | 'reach_rate'>): string {
  return `${count(reached)} of ${people(called)} called${shareWords(rate)}`;
}

function shareWords(rate: number | null): string {
  return rate === null ? '' : `, ${(rate * 100).toFixed(1)} %`;
}

/** `1 row`, `2,000 rows`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function people(n: number): string {
  return counted(n, 'person', 'people');
}

export function count(n: number): string {
  return n.toLocaleString('en-US');
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  const hours = Math.floor(seconds / 3_600);
  return hours < 48
    ? `${hours} h ${Math.round((seconds % 3_600) / 60)} min`
    : `${Math.round(hours / 24)} days`;
}
