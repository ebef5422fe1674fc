import { closesAt, nextOpening } from '../../../src/rules/calendar/calendar.ts';
import { forecast } from '../../../src/rules/forecast/forecast.ts';
import { oddsOf } from '../../../src/rules/forecast/odds.ts';
import { say } from '../../support/report.ts';
import { drawCampaign, type Known, playCampaign, type World } from './campaign.ts';

/** How often the end of a campaign was in the range of its forecast, and how far the middle was from it. */
export type ForecastOptions = { campaigns: number; from: number };

const shares = [0, 0.1, 0.5];

type Judged = {
  kind: string;
  share: number;
  inside: boolean;
  error: number;
  naive: number | null;
  calls: number;
};

export function measureForecast({ campaigns, from }: ForecastOptions): void {
  const judged: Judged[] = [];
  for (let seed = from; seed < from + campaigns; seed++) judged.push(...judgeOne(drawCampaign(seed)));
  const kinds = ['all', ...new Set(judged.map((each) => each.kind))];
  say('| campaigns | calls made | in the range | median error | naive | error of calls |');
  say('|---|---|---|---|---|---|');
  for (const kind of kinds) {
    for (const share of shares) {
      const some = judged.filter((each) => (kind === 'all' || each.kind === kind) && each.share === share);
      if (some.length === 0) continue;
      const inside = some.filter((each) => each.inside).length / some.length;
      const naive = some.flatMap((each) => (each.naive === null ? [] : [each.naive]));
      const cells = [
        `${kind} (${some.length})`,
        percent(share),
        percent(inside),
        percent(middle(some.map((each) => each.error))),
        naive.length > 0 ? percent(middle(naive)) : '',
        percent(middle(some.map((each) => each.calls))),
      ];
      say(`| ${cells.join(' | ')} |`);
    }
  }
}

function judgeOne(world: World): Judged[] {
  const { calls } = playCampaign(world, [], () => undefined);
  const looks: Known[] = [];
  const at = shares.map((share) => Math.floor(share * calls));
  const { endsAt } = playCampaign(world, at, (known) => looks.push(known));
  return looks.map((known, i) => {
    const told = forecastAt(world, known);
    const left = Math.max(1_000, endsAt - known.at);
    const elapsed = known.at - world.begin;
    const missing = known.groups.reduce((sum, each) => sum + each.n, known.calling);
    const finished = world.people.length - missing;
    const naive = finished > 0 && elapsed > 0 ? (missing / finished) * elapsed : null;
    return {
      kind: kindOf(world),
      share: shares[i]!,
      inside: told.endsAt !== null && endsAt >= told.endsAt.p10 && endsAt <= told.endsAt.p90,
      error: Math.abs((told.endsAt?.p50 ?? 0) - endsAt) / left,
      naive: naive === null ? null : Math.abs(naive - left) / left,
      calls: Math.abs(told.calls - (calls - at[i]!)) / Math.max(1, calls - at[i]!),
    };
  });
}

export function forecastAt(world: World, known: Known) {
  const usualPolls = { polls: 3, weight: 8 };
  return forecast({
    now: known.at,
    people: known.groups.map((each) => ({ ...each, held: false })),
    planned: 0,
    calling: known.calling,
    hours: {
      opens: (place, at) => nextOpening(world.calendar, place, at),
      closes: (place, at) => closesAt(world.calendar, place, at),
    },
    order: { maxAttempts: world.maxAttempts, retry: world.retry, spread: false, maxCalls: world.maxCalls },
    gapMs: 0,
    keys: [{ rate: world.told, sure: world.sure, maxCalls: null }],
    pollsPerCall:
      (known.polls + usualPolls.polls * usualPolls.weight) /
      (known.done + known.calling / 2 + usualPolls.weight),
    odds: oddsOf(known.seen, world.maxAttempts, null, known.calling),
  });
}

export function kindOf({ calendar, maxAttempts }: World): string {
  const parts = [calendar ? 'hours' : '', maxAttempts > 1 ? 'retries' : ''].filter(Boolean);
  return parts.length > 0 ? parts.join(' and ') : 'plain';
}

function middle(values: number[]): number {
  const sorted = values.sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 && share > 0 ? 1 : 0)} %`;
}
