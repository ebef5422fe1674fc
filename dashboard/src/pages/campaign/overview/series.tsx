import { Link, useSearch } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import type { Campaign, CampaignPoint, CampaignSeries } from '../../../api/description.ts';
import { Section } from '../../../kit/card.tsx';
import { Chart } from '../../../kit/chart/chart.tsx';
import type { ChartProps, Series } from '../../../kit/chart/series.ts';
import { Loading, Trouble } from '../../../kit/empty.tsx';
import { useNow } from '../../../kit/time.tsx';
import { about, classes, cost } from '../../../kit/words.ts';
import { useLive } from '../../../live/use-live.ts';
import { outcomeColors, outcomes } from '../outcomes.ts';
import { type CampaignSearch, spans } from '../search.ts';
import { sinceOf } from './span.ts';

const turnMs = 600_000;

/** The course of the campaign over time: one chart for each question, all over the same time. */
export function SeriesPart({ campaign: { id, created_at } }: { campaign: Campaign }) {
  const { span = '1h' }: CampaignSearch = useSearch({ from: '/campaigns/$id' });
  // The start moves in steps, as it is a part of the answer's key; the answer before stands until the next one comes.
  const turn = Math.floor(useNow() / turnMs);
  const since = useMemo(() => sinceOf(span, created_at, turn * turnMs), [span, created_at, turn]);
  const last = useRef<CampaignSeries>(undefined);
  const answer = useLive(
    'GET /api/campaigns/{id}/series',
    { params: { id }, query: { since } },
    { everyMs: 15_000 },
  );
  last.current = answer.data ?? last.current;
  const shown = last.current;
  return (
    <Section id="series" title="Over time" acts={<SpanLinks span={span} />} bare>
      {answer.error && !answer.data && <Trouble problem={answer.error} retry={() => void answer.refetch()} />}
      {!shown && !answer.error && <Loading lines={12} />}
      {shown && <Charts series={shown} />}
    </Section>
  );
}

function SpanLinks({ span }: { span: string }) {
  return (
    <nav aria-label="How far back" className="flex gap-1">
      {spans.map((each) => (
        <Link
          key={each}
          to="."
          search={(before) => ({ ...before, span: each })}
          replace
          resetScroll={false}
          aria-current={each === span ? 'true' : undefined}
          className={classes(
            'rounded-md px-2 py-0.5 text-xs',
            each === span ? 'bg-quiet-soft font-medium' : 'text-quiet hover:bg-quiet-soft hover:text-text',
          )}
        >
          {each}
        </Link>
      ))}
    </nav>
  );
}

type Made = Omit<ChartProps, 'times'>;

function Charts({ series }: { series: CampaignSeries }) {
  const { step, items, step_seconds: seconds } = series;
  const times = useMemo(() => items.map(({ at }) => Date.parse(at) / 1_000), [items]);
  const charts = useMemo(() => chartsOf(items, step, seconds), [items, step, seconds]);
  if (items.every(({ begun, calls }) => begun === 0 && calls === 0)) {
    return <p className="text-quiet">No call began or ended in this time. Look further back.</p>;
  }
  const [first, second, ...more] = charts;
  return (
    <>
      <div className="grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-2">
        <Chart {...first!} times={times} />
        <Chart {...second!} times={times} />
      </div>
      <details className="mt-4">
        <summary className="link w-max text-sm text-quiet">
          Calls begun, seconds until a result{more.length > 2 && ', cost'}
        </summary>
        <div className="mt-3 grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-2">
          {more.map((chart) => (
            <Chart key={chart.title} {...chart} times={times} />
          ))}
        </div>
      </details>
    </>
  );
}

const stepWords = { minute: 'a minute', '5min': '5 minutes', hour: 'an hour', day: 'a day' };

function chartsOf(items: readonly CampaignPoint[], step: keyof typeof stepWords, seconds: number): Made[] {
  const note = `a bar is ${stepWords[step]} or more; the pale one is not over`;
  const bar = (label: string, color: string, of: (point: CampaignPoint) => number | null): Series => ({
    label,
    color: `--color-${color}`,
    values: items.map(of),
  });
  const line = (...of: Parameters<typeof bar>): Series => ({ ...bar(...of), line: true });
  const shown = outcomes.filter((outcome) => items.some((point) => point.outcomes[outcome]));
  return [
    {
      title: 'Calls ended',
      note,
      series: (shown.length > 0 ? shown : (['answered'] as const)).map((outcome) => ({
        label: outcome,
        color: outcomeColors[outcome],
        values: items.map((point) => point.outcomes[outcome] ?? 0),
      })),
    },
    {
      title: 'Requests a second',
      note: 'against the limit of the keys',
      format: about,
      merge: 'mean',
      series: [
        bar(
          'to make calls',
          'ink-2',
          ({ requests, refused }) => Math.max(0, requests.create - refused) / seconds,
        ),
        bar('to follow them', 'ink-3', ({ requests }) => requests.poll / seconds),
        bar('refused with 429', 'bad-fill', ({ refused }) => refused / seconds),
        line('limit', 'text', ({ limit }) => limit),
      ],
    },
    { title: 'Calls begun', series: [bar('begun', 'ink-2', ({ begun }) => begun)] },
    {
      title: 'Seconds until a result',
      format: about,
      merge: 'mean',
      series: [
        bar('mean', 'ink-2', ({ result_lag: lag }) => lag?.mean ?? null),
        line('longest', 'text', ({ result_lag: lag }) => lag?.max ?? null),
      ],
    },
    ...(items.some((point) => point.cost !== null)
      ? [{ title: 'Cost', format: cost, series: [bar('cost', 'ink-2', (point) => point.cost)] }]
      : []),
  ];
}
