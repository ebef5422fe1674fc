import { Link, useSearch } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import type { Campaign, CampaignPoint, CampaignSeries } from '../../../api/description.ts';
import { Section } from '../../../kit/card.tsx';
import { Chart } from '../../../kit/chart/chart.tsx';
import type { Series } from '../../../kit/chart/series.ts';
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
    <Section id="series" title="Over time" acts={<SpanLinks span={span} />}>
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
            'rounded-md px-2 py-1 text-sm',
            each === span ? 'bg-accent-soft font-medium' : 'text-quiet hover:bg-quiet-soft hover:text-text',
          )}
        >
          {each}
        </Link>
      ))}
    </nav>
  );
}

type Made = { title: string; format?: (value: number) => string; series: Series[] };

function Charts({ series }: { series: CampaignSeries }) {
  const { step, step_seconds: seconds } = series;
  const items = useMemo(() => overSteps(series.items, seconds), [series.items, seconds]);
  const times = useMemo(() => items.map(({ at }) => Date.parse(at) / 1_000), [items]);
  const charts = useMemo(() => chartsOf(items, step, seconds), [items, step, seconds]);
  if (items.every(({ begun, calls }) => begun === 0 && calls === 0)) {
    return <p className="text-quiet">No call began or ended in this time. Look further back.</p>;
  }
  return (
    <div className="grid grid-cols-1 gap-x-8 gap-y-6 lg:grid-cols-2">
      {charts.map((chart) => (
        <div key={chart.title} className="min-w-0 lg:last:odd:col-span-2">
          <Chart {...chart} times={times} height={150} />
        </div>
      ))}
    </div>
  );
}

const stepWords = { minute: 'a minute', '5min': 'each 5 minutes', hour: 'an hour', day: 'a day' };

/** Without the step that is not over: its few calls would look like a fall. */
function overSteps(items: CampaignPoint[], seconds: number): CampaignPoint[] {
  const last = items.at(-1);
  const isOver = !last || Date.parse(last.at) + seconds * 1_000 <= Date.now();
  return isOver || items.length < 3 ? items : items.slice(0, -1);
}

function chartsOf(items: readonly CampaignPoint[], step: keyof typeof stepWords, seconds: number): Made[] {
  const each = stepWords[step];
  const line = (label: string, color: string, of: (point: CampaignPoint) => number | null): Series => ({
    label,
    color: color.startsWith('--') ? color : `--color-${color}`,
    values: items.map(of),
  });
  return [
    {
      title: `Calls, ${each}`,
      series: [
        line('began', 'calling', ({ begun }) => begun),
        line('ended', 'line-strong', ({ calls }) => calls),
        line('answered', 'done', ({ connects }) => connects),
      ],
    },
    {
      title: `Outcomes, ${each}`,
      series: outcomes
        .filter((outcome) => items.some((point) => point.outcomes[outcome]))
        .map((outcome) => line(outcome, outcomeColors[outcome], (point) => point.outcomes[outcome] ?? 0)),
    },
    {
      title: `Requests, ${each}, against the limit`,
      series: [
        line('to make calls', 'calling', ({ requests }) => requests.create),
        line('to follow them', 'queued', ({ requests }) => requests.poll),
        line('refused with 429', 'rejected', ({ refused }) => refused),
        line('limit of the keys', 'unknown', ({ limit }) => (limit === null ? null : limit * seconds)),
      ],
    },
    {
      title: 'Seconds until a result',
      format: about,
      series: [
        line('mean', 'calling', ({ result_lag: lag }) => lag?.mean ?? null),
        line('longest', 'parked', ({ result_lag: lag }) => lag?.max ?? null),
      ],
    },
    ...(items.some((point) => point.cost !== null)
      ? [
          {
            title: `Cost, ${each}`,
            format: cost,
            series: [line('cost', 'done', (point) => point.cost)],
          },
        ]
      : []),
  ];
}
