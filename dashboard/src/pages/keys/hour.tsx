import { useMemo, useRef } from 'react';
import type { Key, KeySeries } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { stateText } from '../../kit/badge.tsx';
import { timeText, useNow } from '../../kit/time.tsx';
import { cost, count, counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { requestsAt, wholeSeries } from './points.ts';
import { type SpanId, spans } from './spans.ts';

const anchorMs = 300_000;

/** A key’s limiter over time. The beginning moves on every five minutes; until the new answer is there, the one before is shown. */
export function useSeries(name: string, span: SpanId, step?: 'minute') {
  const { ms } = spans.find(({ id }) => id === span)!;
  const anchor = Math.floor(useNow() / anchorMs) * anchorMs;
  const since = new Date(anchor - ms).toISOString();
  const series = useLive(
    'GET /api/keys/{name}/series',
    { params: { name }, query: { since, step } },
    { everyMs: 10_000 },
  );
  const before = useRef<{ of: string; data: KeySeries } | null>(null);
  const of = `${name} ${span}`;
  if (series.data) before.current = { of, data: series.data };
  const data = series.data ?? (before.current?.of === of ? before.current.data : undefined);
  return { data, error: series.error, refetch: series.refetch };
}

const minutes = 60;
const px = 36;

/** The requests of each minute of the last hour; a minute in which the key was closed is hatched. */
export function Hour({ name }: { name: string }) {
  const { data } = useSeries(name, '1h', 'minute');
  const points = useMemo(() => data && wholeSeries(data).slice(-minutes), [data]);
  if (!points) return null;
  const sent = points.map(requestsAt);
  const most = Math.max(1, ...sent);
  const closed = points.filter(({ state }) => state !== 'open').length;
  const all = counted(
    sent.reduce((sum, n) => sum + n, 0),
    'request',
  );
  return (
    <>
      <span
        role="img"
        aria-label={`${all} in the last hour${closed > 0 ? `, closed in ${counted(closed, 'minute')}` : ''}`}
        className="flex w-54 items-end gap-px border-b border-line"
        style={{ height: px }}
      >
        {points.map(({ at, state }, nth) => (
          <i
            key={at}
            title={`${timeText(at)}: ${counted(sent[nth]!, 'request')}${state === 'open' ? '' : `, ${stateText(state)}`}`}
            className={`flex-1 ${state === 'open' ? (nth === points.length - 1 ? 'bg-live-fill' : 'bg-ink-2') : 'hatched'}`}
            style={{ height: state === 'open' ? Math.ceil((px * sent[nth]!) / most) : px }}
          />
        ))}
      </span>
      <span className="mt-1 block text-xs text-quiet">peak {count(most)} a minute</span>
    </>
  );
}

/** What its calls of the last hour cost, in the currency that the campaigns are told in. */
export function Spent({ of: { cost_1h: n } }: { of: Key }) {
  const currency = useActiveCampaigns(15_000).data?.items.find((each) => each.currency)?.currency;
  return n > 0 ? cost(n, currency) : '–';
}
