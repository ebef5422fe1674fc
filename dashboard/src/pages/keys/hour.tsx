import { useLive } from '../../data/use-live.ts';
import { stateText } from '../../kit/badge.tsx';
import { timeText, useNow } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { isUsed, requestsAt, type SpanId, spans, wholeSeries } from './points.ts';

const anchorMs = 300_000;

/** A key’s limiter over time: its beginning moves on every five minutes. */
export function useSeries(name: string, span: SpanId, step?: 'minute') {
  const since = new Date(Math.floor(useNow() / anchorMs) * anchorMs - spans[span]).toISOString();
  return useLive(
    'GET /api/keys/{name}/series',
    { params: { name }, query: { since, step } },
    { everyMs: 10_000, keep: true },
  );
}

const px = 44;

/** The requests of each minute of the last hour since the first; a minute in which the key was closed is hatched. */
export function Hour({ name }: { name: string }) {
  const { data } = useSeries(name, '1h', 'minute');
  if (!data) return null;
  const points = wholeSeries(data).slice(-60).filter(isUsed);
  const sent = points.map(requestsAt);
  const most = Math.max(1, ...sent);
  const all = sent.reduce((sum, n) => sum + n, 0);
  return (
    <>
      <span
        role="img"
        aria-label={`${counted(all, 'request')} in the last hour`}
        className="flex w-full min-w-54 items-end gap-px border-b border-line"
        style={{ height: px }}
      >
        {points.map(({ at, state }, nth) => (
          <i
            key={at}
            title={`${timeText(at)}: ${counted(sent[nth]!, 'request')}${state === 'open' ? '' : `, ${stateText(state)}`}`}
            className={`max-w-2 flex-1 ${state === 'open' ? (nth === points.length - 1 ? 'bg-live-fill' : 'bg-ink-2') : 'hatched'}`}
            style={{ height: state === 'open' ? Math.ceil((px * sent[nth]!) / most) : px }}
          />
        ))}
      </span>
      <span className="mt-1 block text-xs text-quiet">peak {count(most)} a minute</span>
    </>
  );
}
