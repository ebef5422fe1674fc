import { Link } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import type { KeySeries } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { Chart } from '../../kit/chart/chart.tsx';
import type { Series } from '../../kit/chart/series.ts';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { useNow } from '../../kit/time.tsx';
import { about, classes, percent } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { kinds, refusals } from './kinds.ts';
import { type Point, wholeSeries } from './points.ts';
import { type SpanId, spans } from './spans.ts';
import { StateStrip } from './state-strip.tsx';

/** The key’s limiter over time: what was allowed, believed, sent and refused. */
export function Charts({ name, span }: { name: string; span: SpanId }) {
  const series = useSeries(name, span);
  return (
    <Section id="series" title="Over time" acts={<SpanLinks name={name} current={span} />} bare>
      {series.error && !series.data && <Trouble problem={series.error} retry={() => void series.refetch()} />}
      {!series.data && !series.error && <Loading lines={12} />}
      {series.data && <Drawn series={series.data} />}
    </Section>
  );
}

const anchorMs = 300_000;

/** The beginning moves on every five minutes; until the new answer is there, the one before is shown. */
function useSeries(name: string, span: SpanId) {
  const { ms } = spans.find(({ id }) => id === span)!;
  const anchor = Math.floor(useNow() / anchorMs) * anchorMs;
  const since = new Date(anchor - ms).toISOString();
  const series = useLive(
    'GET /api/keys/{name}/series',
    { params: { name }, query: { since } },
    { everyMs: 10_000 },
  );
  const before = useRef<{ of: string; data: KeySeries } | null>(null);
  const of = `${name} ${span}`;
  if (series.data) before.current = { of, data: series.data };
  const data = series.data ?? (before.current?.of === of ? before.current.data : undefined);
  return { data, error: series.error, refetch: series.refetch };
}

function SpanLinks({ name, current }: { name: string; current: SpanId }) {
  return (
    <nav aria-label="How far back" className="flex flex-wrap gap-1">
      {spans.map(({ id, label }) => (
        <Link
          key={id}
          to="/keys/$name"
          params={{ name }}
          search={{ span: id }}
          replace
          resetScroll={false}
          aria-current={id === current ? 'true' : undefined}
          className={classes(
            'rounded-md px-2 py-1 text-sm',
            id === current ? 'bg-accent-soft font-medium' : 'text-quiet hover:bg-quiet-soft hover:text-text',
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function Drawn({ series }: { series: KeySeries }) {
  const { points, times, charts } = useMemo(() => {
    const all = wholeSeries(series);
    return {
      points: all,
      times: all.map(({ at }) => Date.parse(at) / 1_000),
      charts: chartsOf(all, series.step_seconds),
    };
  }, [series]);
  return (
    <div className="grid grid-cols-1 gap-3 xl:grid-cols-2">
      <div className="rounded-lg border border-line bg-card p-4 xl:col-span-2">
        <StateStrip points={points} />
      </div>
      {charts.map(({ title, format, lines }) => (
        <div key={title} className="min-w-0 rounded-lg border border-line bg-card p-4">
          <Chart title={title} times={times} series={lines} format={format} />
        </div>
      ))}
    </div>
  );
}

type Made = { title: string; format: (value: number) => string; lines: Series[] };

function chartsOf(points: readonly Point[], step: number): Made[] {
  const limit: Series = {
    label: 'believed limit',
    color: '--color-unknown',
    values: points.map((point) => point.limit),
  };
  return [
    {
      title: 'Requests a second, by kind, against the limit',
      format: about,
      lines: [
        ...kinds.map(({ id, label, color }) => ({
          label,
          color,
          stacked: true,
          values: points.map(({ requests }) => requests[id] / step),
        })),
        limit,
      ],
    },
    {
      title: 'Allowed rate and believed limit, a second',
      format: about,
      lines: [
        { label: 'allowed', color: '--color-calling', values: points.map(({ rate }) => rate) },
        limit,
        {
          label: 'single probes',
          color: '--color-parked',
          dots: true,
          values: points.map(({ probing, rate }) => (probing ? rate : null)),
        },
      ],
    },
    {
      title: 'Certainty of the limit',
      format: percent,
      lines: [
        {
          label: 'certainty',
          color: '--color-done',
          values: points.map(({ sure, rate }) => (rate === null ? null : sure)),
        },
      ],
    },
    {
      title: 'Answers with 429, by what they were taken for',
      format: about,
      lines: refusals.map(({ id, label, color }) => ({
        label,
        color,
        stacked: true,
        values: points.map(({ refused }) => refused[id]),
      })),
    },
    {
      title: 'Calls at once against the cap',
      format: about,
      lines: [
        { label: 'most calls at once', color: '--color-calling', values: points.map(({ calls }) => calls) },
        { label: 'believed cap', color: '--color-unknown', values: points.map((point) => point.max_calls) },
      ],
    },
  ];
}
