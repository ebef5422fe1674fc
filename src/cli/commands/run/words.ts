import { quoteWord } from '../../../base/terminal-safe.ts';
import { describeOrder } from '../../../control/order/order.ts';
import { isAddress, shownAddress } from '../../../intake/remote/address.ts';
import type { Campaign } from '../../../ledger/campaigns/campaigns.ts';
import type { Standing } from '../../../ledger/reports/reports.ts';
import { spanText } from '../../../rules/policy/caps.ts';
import type { Policy } from '../../../rules/policy/policy.ts';
import type { Ending } from '../../../run/drive.ts';
import type { Written } from '../../../run/files.ts';
import { count, counted, outcomeWords, type Summary } from '../../output/summary.ts';
import { localTimes } from '../../terminal/table.ts';
import type { RunOrder } from './input.ts';

/** The words of a run: its first line, how it ended, and what a person can do next. */

/** The order in short phrases, with the limit of this run. */
export function describeRun({ order, mostCalls }: Pick<RunOrder, 'order' | 'mostCalls'>): string {
  const limit = mostCalls === null ? [] : [`at most ${counted(mostCalls, 'new call')} in this run`];
  return [...describeOrder(order).map(localTimes), ...limit].join('; ');
}

/** `resumed` is the campaign as it was; null if the run makes it. `takenBack`: people who were queued by its order. */
export function openingLine(
  run: RunOrder,
  resumed: Pick<Campaign, 'agents'> | null,
  {
    changed,
    takenBack,
    pending,
    done,
  }: { changed: boolean; takenBack: number; pending: number; done: number },
): string {
  const order = describeRun(run);
  if (!resumed) return `${run.name}: ${count(pending)} to call; ${order}.`;
  if (pending === 0) return `${run.name}: nothing is left to call.`;
  const agents = resumed.agents.map(({ id }) => id).join(', ');
  const again =
    takenBack === 0
      ? ''
      : ` (${count(takenBack)} of them ${takenBack === 1 ? 'was' : 'were'} queued by an earlier run, for the agent ${agents}, and wait again)`;
  const news = changed ? '; changed options apply to everyone who is not called yet' : '';
  return `${run.name} resumes: ${count(pending)} to call${again}, ${count(done)} already done; ${order}${news}.`;
}

/** A run's file replaces what is kept of people who were not called yet. */
export function changedLine(n: number): string {
  const people = counted(n, 'person who was not called yet changes', 'people who were not called yet change');
  return `${people} to what the file says now; people who were called stay as their calls were made.`;
}

/** How many numbers of people with several are not called. */
export function passedLine(n: number): string | null {
  if (n === 0) return null;
  return `${counted(n, 'number')} of people with several will not be called: ${n === 1 ? 'it is' : 'each is'} no phone, or another person's. \`carillon find\` says why.`;
}

/** Shown by a dry run while the campaign has an active run. */
export function busyLine(name: string): string {
  return `A run is dialling ${name} now: another one is refused until it ends.`;
}

/** 0: every row is done, rejected or skipped. 3: something waits for a person. 130: interrupted, and resumable. */
export function exitOf(ending: Ending, s: Summary): number {
  if (ending.kind === 'interrupted') return 130;
  if (ending.kind === 'ousted') return 3;
  if (ending.kind === 'stuck' || s.unknown > 0) return 3;
  return 0;
}

export function remarks(
  ending: Ending,
  s: Summary,
  standing: Pick<Standing, 'optOuts' | 'firstOutcomes' | 'unknownPlaced'>,
  run: RunOrder,
): string[] {
  const lines: string[] = [];
  const optedOut = standing.optOuts.people;
  if (optedOut > 0)
    lines.push(`${counted(optedOut, 'person', 'people')} asked for no more calls; no campaign calls them.`);
  const { again } = run;
  if (ending.kind === 'interrupted') lines.push(...interruptedLines(s.calling, again));
  if (ending.kind === 'limit') lines.push(limitLine(run, s));
  if (ending.kind === 'first') lines.push(firstLine(run, s, standing.firstOutcomes));
  if (ending.kind === 'ousted')
    lines.push('Another run has taken over this campaign; this one stopped dialling.');
  if (ending.kind === 'canceled') lines.push('The campaign was canceled.');
  if (ending.kind === 'stuck') lines.push(...stuckWords(ending, s, again));
  if (s.unknown > 0) {
    lines.push(
      `${count(s.unknown)} unknown: ${unknownWords(s.unknown, standing.unknownPlaced)}. ${s.unknown === 1 ? 'It' : 'They'} will not be retried. Review: carillon unknown list --campaign ${run.name}`,
    );
  }
  return lines;
}

/** People on a call do not notice that nobody counts any more. */
export function interruptedLines(calling: number, again: string): string[] {
  const lines = [`Interrupted; nothing was lost. Resume with: ${again}`];
  if (calling === 0) return lines;
  const who = counted(calling, 'person is', 'people are');
  const what = calling === 1 ? 'The call continues' : 'Their calls continue';
  const result = calling === 1 ? 'its result is' : 'their results are';
  return [`${who} still on the line. ${what} at the service; ${result} fetched when you resume.`, ...lines];
}

/** `placed` of them certainly exist: only their end is missing. */
export function unknownWords(unknown: number, placed: number): string {
  const asked = unknown - placed;
  const missing = placed === 1 ? 'its end was never reported' : 'their ends were never reported';
  if (placed === 0)
    return `could not confirm whether ${asked === 1 ? 'this call was' : 'these calls were'} placed`;
  if (asked === 0) return `${placed === 1 ? 'this call was' : 'these calls were'} placed, but ${missing}`;
  return `could not confirm whether ${count(asked)} of these calls ${asked === 1 ? 'was' : 'were'} placed; ${count(placed)} ${placed === 1 ? 'was' : 'were'} placed, but ${missing}`;
}

/** The same command without --first is an order to call everyone. */
function firstLine(
  { name, order }: RunOrder,
  { waiting, queued, parked }: Summary,
  outcomes: Record<string, number>,
): string {
  const ended = outcomeWords(outcomes);
  const called = order.first === 1 ? 'person was' : `${count(order.first ?? 0)} people were`;
  const left = counted(waiting + queued + parked, 'person waits', 'people wait');
  return `The first ${called} called${ended && `: ${ended}`}. ${left}. Continue with \`carillon campaign resume ${quoteWord(name)}\`, or with this command without --first.`;
}

export function resultsLine(
  { out, rejects, attempts }: RunOrder,
  { results, rejected, attempts: tries }: Written,
): string {
  const refused = rejected > 0 ? `, rejected: ${rejects} (${counted(rejected, 'row')})` : '';
  const long = tries === null ? '' : `, attempts: ${attempts} (${counted(tries, 'row')})`;
  return `Results: ${out === '-' ? 'standard output' : out} (${counted(results, 'row')})${long}${refused}`;
}

/** Parked people wait too: for credit, which the next run asks about. */
function limitLine({ mostCalls, again }: RunOrder, { waiting, queued, parked }: Summary): string {
  const calls = counted(mostCalls ?? 0, 'new call');
  const left = waiting + queued + parked;
  return `Limit of ${calls} reached: ${counted(left, 'person waits', 'people wait')}. Continue with: ${again}`;
}

function stuckWords(ending: Ending & { kind: 'stuck' }, s: Summary, again: string): string[] {
  const words = ending.words ? `: ${ending.words.replace(/\.$/, '')}` : '';
  switch (ending.why) {
    case 'parked':
      return [
        `No credit${words}. ${counted(s.parked, 'person is', 'people are')} parked. Top up, then: ${again}`,
      ];
    case 'denied':
      if (s.calling > 0 && s.waiting + s.queued + s.parked === 0) {
        return [
          `${counted(s.calling, 'call was', 'calls were')} placed with a key that the service no longer accepts${words}. Put it back into VOICE_API_KEYS, then: ${again}`,
        ];
      }
      return [`The service does not accept any of the keys${words}. Correct VOICE_API_KEYS, then: ${again}`];
    case 'refused':
      return [
        `The service refuses the order${words}. Correct the agent, the caller number or the profile, then: ${again}`,
      ];
    case 'failing':
      return [`Paused${words}. Look at the errors in the results, correct the cause, then: ${again}`];
    case 'budget':
      return [
        `The budget lets no further call pass${words}. ${counted(s.waiting + s.queued + s.parked, 'person waits', 'people wait')}. Continue with a higher --max-cost: ${again}`,
      ];
    case 'history-lost':
      return [
        'The ledger has lost some of its history: every campaign is paused, and nobody is called. See `carillon ledger show`.',
      ];
    case 'unknown':
      return foundLate(s, again);
  }
}

/** A call in doubt may be found while the workers stop: nobody follows it now, and the next run does. */
function foundLate({ calling }: Summary, again: string): string[] {
  if (calling === 0) return [];
  const found = counted(calling, 'call in doubt was', 'calls in doubt were');
  return [
    `${found} found as the run ended. Fetch ${calling === 1 ? 'its result' : 'their results'} with: ${again}`,
  ];
}

/** The typed line, quoted for a shell; without --new, which would start over and call everyone again. */
export function commandAgain(argv: readonly string[]): string {
  const end = argv.indexOf('--');
  const words = argv.filter((word, at) => word !== '--new' || (end >= 0 && at > end));
  return ['carillon', ...words.map((word) => quoteWord(hidden(word)))].join(' ');
}

/** This line is shown and may be logged: what an address hides in its user or query stays out of it. */
function hidden(word: string): string {
  const shown = shownAddress(word);
  return isAddress(word) && word !== shown && /[?@]/.test(word) ? `${shown}?...` : word;
}

/** The contact rules in one line: they apply besides the order's own hours, which may say "every hour and day". */
export function policyLines(policy: Policy | null): string[] {
  if (!policy) return [];
  const { hours, caps, gapSeconds, afterConversationSeconds, notOn } = policy;
  const parts: (string | null)[] = [
    hours.length > 0 ? `hours of ${hours.join(', ')}` : null,
    ...caps.map(
      ({ calls, perSeconds }) =>
        `at most ${calls} ${calls === 1 ? 'call' : 'calls'} to a phone in ${spanText(perSeconds)}`,
    ),
    gapSeconds === null ? null : `${spanText(gapSeconds)} between calls`,
    afterConversationSeconds === null ? null : `${spanText(afterConversationSeconds)} after a conversation`,
    notOn.length > 0
      ? `not on ${notOn.map((entry) => entry.replace('holidays:', 'holidays of ')).join(', ')}`
      : null,
  ];
  const said = parts.filter((part) => part !== null);
  return said.length > 0 ? [`Contact rules: ${said.join('; ')}.`] : [];
}
