import { describe, expect, it } from 'vitest';
import type { Activity, KeyPoint, KeySeries } from '../../dashboard/src/api/description.ts';
import {
  begunAt,
  bucketsOf,
  levelsOf,
  scaleOf,
  ticksOf,
  topOf,
} from '../../dashboard/src/kit/chart/series.ts';
import { isFarBelow, isNightIn, isOptOut, learnedText } from '../../dashboard/src/kit/words.ts';
import { pairsOf, runsOf } from '../../dashboard/src/pages/activity/runs.ts';
import { orderWords, sentenceOf } from '../../dashboard/src/pages/activity/sentences.ts';
import { toldBy } from '../../dashboard/src/pages/campaign/results/told.ts';
import { readCampaignSearch } from '../../dashboard/src/pages/campaign/search.ts';
import { closedBefore, heldLimits, refusedIn, wholeSeries } from '../../dashboard/src/pages/keys/points.ts';
import { spokenOf, turnsOf } from '../../dashboard/src/pages/people/turns.ts';
import { activityVerbs } from '../../src/ledger/activity/activity.ts';

/** The page reads answers before it draws them. */
describe('a transcript', () => {
  it('is read as turns where each line surely is one', () => {
    expect(turnsOf('Agent: Hello?\n\nCustomer: Who is this?')).toEqual([
      { who: 'Agent', text: 'Hello?', agent: true, at: null },
      { who: 'Customer', text: 'Who is this?', agent: false, at: null },
    ]);
    expect(turnsOf('[00:12] AI: Hello\n[1:00:14] User: Hi')).toMatchObject([
      { who: 'AI', at: 12 },
      { who: 'User', at: 3_614 },
    ]);
    expect(turnsOf('[{"role":"assistant","content":"Hello"},{"role":"user","content":"Hi"}]')).toEqual([
      { who: 'assistant', text: 'Hello', agent: true, at: null },
      { who: 'user', text: 'Hi', agent: false, at: null },
    ]);
    expect(turnsOf('[{"role":"agent","message":"Hello","time_in_call_secs":3}]')).toMatchObject([{ at: 3 }]);
  });

  it('is spans of time where every turn tells when it was said, in order', () => {
    const spans = (text: string) => spokenOf(turnsOf(text)!, 20)?.map(({ at, to }) => [at, to]) ?? null;
    expect(spans('[0:00] Agent: Hello\n[0:04] User: Hi')).toEqual([
      [0, 4],
      [4, 20],
    ]);
    expect(spans('Agent: Hello\n[0:04] User: Hi')).toBeNull();
    expect(spans('[0:09] Agent: Hello\n[0:04] User: Hi')).toBeNull();
  });

  it('stays a plain text where it may be something else', () => {
    for (const text of [
      'She asked to be called back.',
      'Agent: Hello\nand then nobody spoke',
      'Note: call back on Monday',
      '[inaudible]',
      '[{"role":"user"}]',
      '',
    ])
      expect(turnsOf(text)).toBeNull();
  });
});

describe('what is told in words', () => {
  it('is night by the clock of the person, and nowhere that is not known', () => {
    const night = (at: string) => isNightIn('America/Los_Angeles', at);
    expect(night('2026-11-27T08:12:00Z')).toBe(true);
    expect(night('2026-11-27T15:59:00Z')).toBe(true);
    expect(night('2026-11-27T16:00:00Z')).toBe(false);
    expect(night('2026-11-28T04:59:00Z')).toBe(false);
    expect(night('2026-11-28T05:00:00Z')).toBe(true);
    expect(isNightIn('Nowhere/Known', '2026-11-27T08:12:00Z')).toBe(false);
  });

  it('is what was learned in a call, without what is empty', () => {
    const data = { opt_out: false, callback: null, days: ['Monday', 'Friday'], plan: { tier: 'gold' } };
    expect(learnedText(data)).toBe('opt out: no, days: Monday, Friday, plan: tier: gold');
    expect(learnedText(null)).toBe('');
    expect([data, { opt_out: true }, { opt_out: 'Yes' }, null, 'yes'].map(isOptOut)).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('is a share of answered calls that is far below those of the others, and not by chance', () => {
    const others = [0.2, 0.25, 0.35].map((rate) => ({ calls: 40, rate }));
    const isMarked = (calls: number, rate: number | null) =>
      isFarBelow({ calls, rate }, [...others, { calls, rate }]);
    expect([isMarked(32, 0.063), isMarked(400, 0.16), isMarked(5, 0), isMarked(400, 0.2)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([isMarked(0, null), isFarBelow({ calls: 9, rate: 0 }, [{ calls: 9, rate: 0 }])]).toEqual([
      false,
      false,
    ]);
  });

  it('is a rule of an order as the order’s own page has it', () => {
    expect(orderWords.retry!('(busy 10s; no-answer 2h/1d)')).toBe(
      'after busy again in 10 s, after no answer again in 2 h, then 1 day',
    );
    expect(orderWords.max_calls!('1')).toBe('at most 1 call at once');
  });
});

describe('the series of a key', () => {
  it('stays as it was in the steps without an item, and sent nothing in them', () => {
    const nothing = { create: 0, poll: 0, update: 0, numbers: 0 };
    const refused = { rate: 0, creates: 0, calls: 0 };
    const point = (second: number, more: Partial<KeyPoint>): KeyPoint => ({
      at: new Date(second * 1_000).toISOString(),
      state: 'open',
      rate: 5,
      limit: 20,
      sure: 0.5,
      probing: false,
      calls: 3,
      max_calls: null,
      requests: { ...nothing, create: 7 },
      refused,
      ...more,
    });
    const points = wholeSeries({
      key: 'main',
      since: new Date(0).toISOString(),
      until: new Date(50_000).toISOString(),
      step: '10s',
      step_seconds: 10,
      items: [point(10, {}), point(30, { state: 'denied' })],
    });
    expect(points.map(({ calls, limit, requests }) => [calls, limit, requests.create])).toEqual([
      [0, null, 0],
      [3, 20, 7],
      [3, 20, 0],
      [3, 20, 7],
      [3, 20, 0],
    ]);
  });

  it('has a limit only from the step after it was learned: no bar that led to it stands above it', () => {
    expect(heldLimits([null, 12, 12, 9, 10, null])).toEqual([null, null, 12, 12, 10, null]);
  });

  it('tells how much was refused and when', () => {
    const refused = { rate: 2, creates: 1, calls: 0 };
    const requests = { create: 0, poll: 0, update: 0, numbers: 0 };
    const used = { state: 'open', rate: 5, limit: null, sure: 0, probing: false, calls: 0, max_calls: null };
    const series = {
      key: 'main',
      since: new Date(0).toISOString(),
      until: new Date(600_000).toISOString(),
      step: '10s' as const,
      step_seconds: 10,
      items: [{ ...used, at: new Date(300_000).toISOString(), requests, refused } as KeyPoint],
    };
    expect(refusedIn(series)).toBe(3);
  });

  it('tells until when the key was closed the time before', () => {
    const items = ['open', 'failing', 'denied', 'open', 'denied'].map((state, at) => ({
      state,
      at: `${at}`,
    }));
    const of = (n: number) => closedBefore({ items: items.slice(0, n) } as unknown as KeySeries);
    expect([of(5), of(4), of(3)]).toEqual(['2', '2', undefined]);
  });
});

describe('a chart', () => {
  const times = Array.from({ length: 10 }, (_, nth) => 600 + nth * 60);
  const counts = { label: 'ended', fill: 'bg-ink', values: times.map((_, nth) => nth) };

  it('draws several steps as one bar where there are too many, the latest ones whole', () => {
    const buckets = bucketsOf({ times, series: [counts] }, 4, 1_140);
    expect(buckets.map(({ from, to, values, isOver }) => [from, to, values[0], isOver])).toEqual([
      [600, 660, 0, true],
      [660, 840, 1 + 2 + 3, true],
      [840, 1_020, 4 + 5 + 6, true],
      [1_020, 1_200, 7 + 8 + 9, false],
    ]);
  });

  it('tells a rate as the mean of its steps, and a limit as the highest that is known', () => {
    const limit = { label: 'limit', fill: '', line: true, values: times.map(() => null) };
    const met = { ...limit, values: times.map((_, nth) => (nth < 8 ? null : nth)) };
    const buckets = bucketsOf({ times, series: [counts, limit, met], merge: 'mean' }, 5, 2_000);
    expect(buckets.at(-1)).toMatchObject({ values: [8.5, null, 9] });
    expect(buckets[0]).toMatchObject({ values: [0.5, null, null] });
    const none = { ...counts, values: times.map(() => null) };
    expect(bucketsOf({ times, series: [none], merge: 'mean' }, 5, 2_000)[0]!.values).toEqual([null]);
  });

  it('leaves room for a limit, unless it is far above the bars', () => {
    const scale = (limit: number, line: boolean | 'limit' = 'limit', bar = 4) =>
      scaleOf(
        [{ from: 0, to: 60, isOver: true, values: [bar, limit] }],
        [counts, { ...counts, label: 'limit', line }],
      );
    expect([scale(12), scale(41), scale(41, true), scale(41, 'limit', 0)]).toEqual([12, 4, 41, 41]);
  });

  it('draws a single point, and has its words at round times and numbers', () => {
    expect(bucketsOf({ times: [600], series: [{ ...counts, values: [3] }] }, 50, 700)).toHaveLength(1);
    expect(ticksOf(610, 1_900, 5)).toEqual({ step: 300, at: [900, 1_200, 1_500, 1_800] });
    expect(ticksOf(600, 1_020, 6)).toEqual({ step: 120, at: [600, 720, 840, 960] });
    expect([0, 1, 3, 4.5, 7.2, 42, 105, 430].map(topOf)).toEqual([1, 2, 4, 6, 8, 50, 120, 500]);
    expect([levelsOf(1, true), levelsOf(6, true), levelsOf(1, false)]).toEqual([
      [0, 1],
      [0, 3, 6],
      [0, 0.5, 1],
    ]);
  });

  it('begins with the first bar of any chart beside it, and has so many steps that a bar is no slab; a limit is none', () => {
    const chart = (first: number, isLine = false) => ({
      series: [
        { ...counts, values: Array.from({ length: 60 }, (_, nth) => Number(nth >= first)), line: isLine },
      ],
    });
    expect(begunAt([chart(0, true), chart(30), chart(20)])).toBe(20);
    expect(begunAt([chart(57)])).toBe(54);
    expect(begunAt([chart(60)])).toBe(54);
  });
});

describe('an entry of the activity', () => {
  const entry = (verb: string, after: object | null, before: object | null = null) =>
    sentenceOf({ verb, after, before } as Activity);

  it('is a sentence for every verb', () => {
    for (const verb of activityVerbs) expect(entry(verb, {})).toMatch(/^[a-z][^.]* /);
  });

  it('says what the facts say', () => {
    expect(entry('recipients.add', { new: 400, changed: 0, rejected: 0 })).toBe(
      'added 400 people to {campaign}',
    );
    expect(entry('recipients.add', { new: 1, changed: 2, rejected: 1 })).toBe(
      'added 1 person to {campaign}; 2 changed, 1 row rejected',
    );
    expect(entry('campaign.start', { state: 'running' }, { state: 'paused' })).toBe('resumed {campaign}');
    expect(entry('campaign.start', { state: 'running' }, { state: 'draft' })).toBe('started {campaign}');
    expect(entry('campaign.pause', { reason: 'paused by hand: everything was stopped' })).toBe(
      'stopped everything: {campaign}',
    );
    expect(entry('suppression.add', { count: 1, phones: ['+1415•••77'] })).toBe('suppressed a phone');
    expect(entry('suppression.add', { count: 2, phones: ['+1415•••77', '+1617•••61'] })).toBe(
      'suppressed 2 phones: +1415•••77, +1617•••61',
    );
    expect(entry('suppression.add', { phones: 40 })).toBe('suppressed 40 phones');
  });

  it('is one line with those that say the same soon before it', () => {
    const at = (minute: number, verb: string, as: string, campaign = 'spring') =>
      ({
        at: `2026-06-01T10:0${minute}:00Z`,
        who: 'ann',
        verb,
        after: { as },
        campaign,
      }) as unknown as Activity;
    const runs = runsOf([
      at(9, 'call.judge', 'fine'),
      at(9, 'call.judge', 'fine'),
      at(8, 'call.judge', 'wrong'),
      at(8, 'call.judge', 'wrong', 'autumn'),
      at(7, 'unknown.resolve', 'called'),
      at(6, 'unknown.resolve', 'called', 'autumn'),
      at(3, 'unknown.resolve', 'called'),
    ]);
    expect(runs.map(({ length }) => length)).toEqual([2, 1, 1, 2, 1]);
    const judged = { verb: 'call.judge', after: { as: 'fine', resolved: 2 }, before: null };
    expect(sentenceOf(judged as unknown as Activity)).toBe('listened to 2 calls of {campaign}: fine');
    // What came of them is told once.
    const settled = ['called', 'not-called', 'called'].map((as) => at(2, 'unknown.resolve', as));
    expect(runsOf(settled).map(({ length }) => length)).toEqual([3]);
    const both = { verb: 'unknown.resolve', after: { as: 'called', resolved: 3, not: 1 }, before: null };
    expect(sentenceOf(both as unknown as Activity)).toBe('settled 3 unknown calls: 2 were made, 1 was not');
    const stopped = ['spring', 'autumn'].map((campaign) => at(5, 'campaign.pause', '', campaign));
    expect(runsOf(stopped).map(({ length }) => length)).toEqual([2]);
  });

  it('tell of a trouble and a pause that are over, until when, and not of those that last', () => {
    const at = (id: number, verb: string, subject: string, code = '') => ({
      ...{ id: String(id), at: `2026-06-01T10:0${id}:00Z`, who: 'carillon', verb, subject, after: { code } },
      campaign_id: verb.startsWith('campaign.') ? subject : null,
    });
    const rows = [
      at(8, 'alert.raise', 'west', 'key-out-of-credit'),
      at(7, 'campaign.start', 'spring'),
      at(6, 'alert.clear', 'west', 'key-out-of-credit'),
      at(5, 'campaign.pause', 'autumn'),
      at(4, 'alert.raise', 'east', 'key-out-of-credit'),
      at(3, 'campaign.pause', 'spring'),
      at(2, 'alert.raise', 'west', 'key-out-of-credit'),
    ] as unknown as Activity[];
    const { over, told } = pairsOf(rows);
    expect([...over]).toEqual([
      ['3', rows[1]],
      ['2', rows[2]],
    ]);
    // The end of a trouble stands in the line of its beginning; a person who resumed has one of their own.
    expect(told.map(({ id }) => id)).toEqual(['8', '7', '5', '4', '3', '2']);
  });
});

describe('what calls told, summed', () => {
  it('counts each value where they are few, and how often any was told where they are many', () => {
    const hours = [9, 10, 11, 12, 13].map((hour) => ({ interested: true, visit_at: `Monday ${hour}:00` }));
    const told = toldBy([
      { interested: false, opt_out: true },
      { interested: false, opt_out: false },
      null,
      'words',
      ...hours,
      { interested: null },
    ]);
    expect(told).toEqual([
      {
        name: 'interested',
        n: 6,
        values: [
          ['yes', 5],
          ['no', 1],
        ],
      },
      { name: 'visit_at', n: 5, values: [] },
    ]);
    // What hardly anybody told is not summed.
    const many = Array.from({ length: 60 }, (_, nth) => ({
      interested: true,
      ...(nth < 2 && { note: 'late' }),
    }));
    expect(toldBy(many).map(({ name }) => name)).toEqual(['interested']);
  });
});

describe('the address of a campaign', () => {
  it('keeps what the page knows, and drops the rest', () => {
    const known = { tab: 'people', span: '24h', order: 'moved', row: 12, state: 'done' };
    expect(readCampaignSearch({ ...known, row: '12', color: 'red', phone: '' })).toEqual(known);
    expect(readCampaignSearch({ tab: 'x', order: 'up', row: '-3' })).toEqual({});
    expect(readCampaignSearch({ variable: 7 })).toEqual({ variable: '7' });
  });
});

describe('what needs a person', () => {
  it('is one line for each cause', async () => {
    // Its sources are checked with a browser's types, which the tests do not have.
    const source = new URL('../../dashboard/src/shell/need.ts', import.meta.url).href;
    type Line = { what: string; act?: { to: string } };
    const { needsOfCauses } = (await import(source)) as {
      needsOfCauses(raised: object[], campaigns: object[]): Line[];
    };
    const still = (name: string, cause: string, message: string, budget: string | null = null) => ({
      id: `${name}-id`,
      name,
      balance: { unknown: 0, waiting: 1, parked: 0 },
      standstill: {
        ...{ cause, budget, message, ends: 'act', act: 'Do so.', until: null, people: 1 },
        since: '2026-03-04T08:00:00Z',
      },
    });
    const alert = (code: string, subject: string, title: string) => ({
      ...{ code, subject, severity: 'critical', title, message: title, remedy: 'Restart it.' },
      since: '2026-03-04T08:00:00Z',
    });
    const loop = alert('loop-stuck', 'one:1', 'The background work of a process is stuck');
    const stuck = 'the planner of one:1 is stuck';
    const names = ['spring', 'summer', 'autumn', 'winter'];
    const lines = (raised: object[], campaigns: object[]) =>
      needsOfCauses(raised, campaigns).map(({ what, act }) => [what, act?.to]);
    expect(
      lines(
        [loop, alert('campaign-stands', 'spring', 'A campaign calls nobody')],
        names.map((name) => still(name, 'no-worker', stuck)),
      ),
    ).toEqual([
      ['The background work of a process is stuck. spring, summer and 2 others call nobody.', '/health'],
    ]);
    expect(
      lines(
        [],
        names.slice(2).map((name) => still(name, 'no-worker', 'no worker runs')),
      ),
    ).toEqual([['Nobody is called: no worker runs.', '/health']]);
    const near = ['spring-id', 'summer-id', 'day'].map((of) =>
      alert('budget-near', of, 'A budget is nearly spent'),
    );
    expect(
      lines(near, [
        still('spring', 'budget', 'its budget allows no further call'),
        ...names
          .slice(2)
          .map((name) => still(name, 'budget', 'the budget of the day allows no further call', 'day')),
      ]),
    ).toEqual([
      ['A budget is nearly spent.', '/campaigns/summer-id?tab=order'],
      ['spring calls nobody.', '/campaigns/spring-id?tab=order'],
      ['autumn and winter call nobody.', '/settings'],
    ]);
  });

  it.each([
    [
      'budget-near',
      'The campaign demo: survey has spent 9 of 10',
      /^The campaign demo: survey has spent 9 of 10\./,
    ],
    [
      'campaign-ends',
      'demo: survey: about 3 of 9 people are not called',
      /^About 3 of 9 people are not called\./,
    ],
    [
      'list-rejected',
      '8 of 9 rows of demo: a were rejected: the first says “a: b”',
      /^The first says “a: b”/,
    ],
    ['webhook-down', 'a.example takes no events: it failed: 503', /^It failed: 503\./],
    ['alerts-unsent', 'Alerts do not reach a1 (email): no route: EHOSTUNREACH', /^No route: EHOSTUNREACH\./],
  ])('of %s says why, whatever the name of its campaign', async (code, message, text) => {
    const source = new URL('../../dashboard/src/shell/need.ts', import.meta.url).href;
    const { needOfAlert } = (await import(source)) as { needOfAlert(alert: object): { text: string } };
    const told = { code, subject: 'a', severity: 'warning', title: 'T', message, remedy: 'R.', since: '' };
    expect(needOfAlert(told).text).toMatch(text);
  });
});
