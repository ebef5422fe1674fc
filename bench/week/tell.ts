import { forecastWords, limitWords } from '../../src/cli/output/outlook-words.ts';
import { count, counted } from '../../src/cli/output/summary.ts';
import { tableLines, timeText } from '../../src/cli/terminal/table.ts';
import { forecastList, showForecast } from '../../src/control/campaigns/forecast.ts';
import type { RejectedRow } from '../../src/intake/recipients.ts';
import { closesAt, nextOpening } from '../../src/rules/calendar/calendar.ts';
import { forecast } from '../../src/rules/forecast/forecast.ts';
import { oddsOf } from '../../src/rules/forecast/odds.ts';
import { findBreaches } from '../../src/rules/policy/history.ts';
import { groupsOf, seenOf, type WeekPerson } from './people.ts';
import { type Look, playWeek, pollsPerCall, type Week, type WeekOrder } from './play.ts';

/** Prints a simulated week: what was forecast, what happened hour by hour, who was held, and who was never called. */
type Say = (line: string) => void;

export function tellWeek(
  given: WeekOrder,
  people: readonly WeekPerson[],
  rejected: readonly RejectedRow[],
  say: Say,
): void {
  const { begin } = given;
  const waiting = people.filter(({ state }) => state === 'waiting');
  const skipped = people.length - waiting.length;
  const lists = [
    `${count(people.length + rejected.length)} rows`,
    `${count(waiting.length)} to call`,
    `${count(skipped)} skipped: suppressed`,
    `${count(rejected.length)} rejected`,
  ];
  say(lists.join(', '));
  const places = new Map<string, number>();
  for (const { place } of waiting) places.set(place, (places.get(place) ?? 0) + 1);
  const first = forecastList({
    now: begin,
    order: given.order,
    calendar: given.calendar,
    gapSeconds: given.policy?.gapSeconds ?? null,
    people: places,
    keys: [{ rate: given.rate, sure: 1, maxCalls: null }],
  });
  const foretold = [{ what: 'at the start', shown: first, made: 0, spent: 0 }];
  say(`Forecast at the start: ${forecastWords(first, begin)}; limited by ${limitWords(first)}.`);
  const tenth = Math.ceil(waiting.length / 10);
  const week = playWeek(given, people, tenth, (look) => {
    const shown = forecastNow(given, look);
    const made = look.ended.length + look.calling;
    const spent = look.ended.reduce((sum, { cost }) => sum + cost, 0);
    foretold.push({ what: 'at a tenth', shown, made, spent });
    const at = timeText(new Date(look.now));
    say(
      `Forecast at ${at}, when a tenth were called: ${forecastWords(shown, look.now)}; limited by ${limitWords(shown)}.`,
    );
  });
  say('');
  tellHours(week, say);
  say('');
  const rows = foretold.map(({ what, shown: { ends_at, calls, cost }, made, spent }) => [
    what,
    ...[ends_at.p10, ends_at.p50, ends_at.p90].map((at) => at && timeText(at).slice(0, 16)),
    calls + made,
    cost === null ? '' : (cost + spent).toFixed(2),
  ]);
  const cost = week.ended.reduce((sum, each) => sum + each.cost, 0);
  const happened = ['it happened', '', timeText(new Date(week.endsAt)).slice(0, 16), ''];
  for (const line of tableLines(
    ['FORECAST', 'EARLIEST', 'ENDS (UTC)', 'LATEST', 'CALLS', 'COST'],
    [...rows, [...happened, week.ended.length, cost.toFixed(2)]],
  ))
    say(line);
  say('');
  tellPeople(people, rejected, say);
}

/** Forecasts from what a running campaign knows, as `carillon campaign forecast` does. */
function forecastNow({ order, calendar, policy, rate }: WeekOrder, { now, calling, ended, people }: Look) {
  return showForecast(
    forecast({
      now,
      people: groupsOf(people),
      planned: 0,
      calling,
      hours: {
        opens: (place, at) => nextOpening(calendar, place, at),
        closes: (place, at) => closesAt(calendar, place, at),
      },
      order: {
        maxAttempts: order.maxAttempts,
        retry: order.retry,
        spread: order.retryWhen === 'spread',
        maxCalls: order.maxCalls,
      },
      gapMs: (policy?.gapSeconds ?? 0) * 1_000,
      keys: [{ rate, sure: 1, maxCalls: null }],
      pollsPerCall,
      odds: oddsOf(seenOf(ended), order.maxAttempts, null, calling),
    }),
  );
}

const columns = ['answered', 'voicemail', 'no-answer', 'busy', 'failed'] as const;

function tellHours({ hours }: Week, say: Say): void {
  const rows = hours.map(({ at, calls, ends, waiting }) => {
    const reasons = [...waiting].sort(([, a], [, b]) => b - a).map(([reason, n]) => `${n} ${reason}`);
    return [hourText(at), calls, ...columns.map((end) => ends[end] ?? 0), reasons.join(', ')];
  });
  for (const line of tableLines(['HOUR (UTC)', 'CALLS', ...columns.map(heading), 'WAITING AT ITS END'], rows))
    say(line);
}

function heading(word: string): string {
  return word.toUpperCase();
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function hourText(at: number): string {
  const time = new Date(at);
  return `${days[time.getUTCDay()]} ${time.toISOString().slice(5, 16).replace('T', ' ')}`;
}

function tellPeople(people: readonly WeekPerson[], rejected: readonly RejectedRow[], say: Say): void {
  const held = new Map<string, number>();
  for (const { waitedFor } of people)
    for (const reason of waitedFor) held.set(reason, (held.get(reason) ?? 0) + 1);
  const rows = [...held]
    .filter(([reason]) => reason !== 'rate' && reason !== 'calls')
    .sort(([, a], [, b]) => b - a);
  for (const line of tableLines(['HELD BY', 'PEOPLE'], rows)) say(line);
  say('');
  const times = new Map<number, number>();
  for (const { state, calls } of people)
    if (state !== 'skipped') times.set(calls.length, (times.get(calls.length) ?? 0) + 1);
  const parts = [...times].sort(([a], [b]) => a - b).map(([n, some]) => `${some} ${timesText(n)}`);
  say(`Called: ${parts.join(', ')}.`);
  const optedOut = people.filter((person) => person.optedOut).length;
  if (optedOut > 0) say(`${counted(optedOut, 'person', 'people')} asked for no more calls.`);
  say('Never called:');
  const stopped = people.filter(({ state }) => state === 'skipped').length;
  if (stopped > 0) say(`  ${counted(stopped, 'person', 'people')}: suppressed`);
  for (const { row, reason } of rejected) say(`  line ${row}: ${reason}`);
  const broken = people.flatMap(({ calls }) => findBreaches(calls)).length;
  say(`Contact rules broken, by the rule of \`carillon audit\`: ${broken}.`);
}

function timesText(n: number): string {
  return n === 0 ? 'never' : n === 1 ? 'once' : `${n} times`;
}
