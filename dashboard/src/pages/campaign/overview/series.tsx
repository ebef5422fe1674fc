import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Campaign, CampaignPoint, CampaignSeries } from '../../../api/description.ts';
import { useLive } from '../../../data/use-live.ts';
import { stateText } from '../../../kit/badge.tsx';
import { Section } from '../../../kit/card.tsx';
import { Charts, type Made, SpanLinks } from '../../../kit/chart/charts.tsx';
import type { Series } from '../../../kit/chart/series.ts';
import { Read } from '../../../kit/empty.tsx';
import { useNow } from '../../../kit/time.tsx';
import { cost } from '../../../kit/words.ts';
import { colorOf, outcomes } from '../outcomes.ts';
import { type CampaignSearch, spans } from '../search.ts';
import { begins, sinceOf } from './span.ts';

const turnMs = 600_000;

/** The course of the campaign over time: one chart for each question, all over the same time. */
export function SeriesPart({ campaign: { id, created_at, currency, balance } }: { campaign: Campaign }) {
  const { span = '1h' }: CampaignSearch = useSearch({ from: '/campaigns/$id' });
  // The start moves in steps, as it is a part of the answer's key; the answer before stands until the next one comes.
  const turn = Math.floor(useNow() / turnMs);
  const since = useMemo(() => sinceOf(span, created_at, turn * turnMs), [span, created_at, turn]);
  // One that is longer than the campaign shows what the one before it does.
  const shown = spans.filter(
    (_, nth) => nth === 0 || begins(spans[nth - 1]!, turn * turnMs) > Date.parse(created_at),
  );
  const answer = useLive(
    'GET /api/campaigns/{id}/series',
    { params: { id }, query: { since } },
    { everyMs: 15_000, keep: true },
  );
  return (
    <Section
      id="series"
      title="Over time"
      acts={shown.length > 1 && <SpanLinks spans={shown} current={span} />}
      bare
    >
      <Read of={answer} lines={12}>
        {(series) =>
          balance.attempts === 0 ? (
            <p className="text-quiet">No call has begun yet.</p>
          ) : (
            <Drawn series={series} currency={currency} />
          )
        }
      </Read>
    </Section>
  );
}

function Drawn({ series, currency }: { series: CampaignSeries; currency: string | null }) {
  const { step, items } = series;
  const times = useMemo(() => items.map(({ at }) => Date.parse(at) / 1_000), [items]);
  const charts = useMemo(() => chartsOf(items, step, currency), [items, step, currency]);
  if (items.every(({ begun, calls }) => begun === 0 && calls === 0)) {
    return <p className="text-quiet">No call began or ended in this time. Look further back.</p>;
  }
  return <Charts charts={charts} times={times} rest={`Calls begun${charts.length > 2 ? ', cost' : ''}`} />;
}

const stepWords = { minute: 'a minute', '5min': '5 minutes', hour: 'an hour', day: 'a day' };

function chartsOf(
  items: readonly CampaignPoint[],
  step: keyof typeof stepWords,
  currency: string | null,
): Made[] {
  const note = `a bar is ${stepWords[step]} or more, the faint one is not over`;
  const bar = (label: string, of: (point: CampaignPoint) => number | null): Series => ({
    label,
    color: '--color-ink-2',
    values: items.map(of),
  });
  const shown = outcomes.filter((outcome) => items.some((point) => point.outcomes[outcome]));
  return [
    {
      title: 'Calls ended',
      note,
      series: (shown.length > 0 ? shown : (['answered'] as const)).map((outcome) => ({
        label: stateText(outcome),
        color: colorOf(outcome),
        values: items.map((point) => point.outcomes[outcome] ?? 0),
      })),
    },
    { title: 'Calls begun', series: [bar('begun', ({ begun }) => begun)] },
    ...(items.some((point) => point.cost !== null)
      ? [
          {
            title: 'Cost',
            ...(currency && { note: currency }),
            format: cost,
            series: [bar('cost', (point) => point.cost)],
          },
        ]
      : []),
  ];
}
