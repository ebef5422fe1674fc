import type { AllSeries } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { Chart } from '../../kit/chart/chart.tsx';
import { seriesOf } from '../../kit/chart/series.ts';
import { Read } from '../../kit/empty.tsx';
import { timeText } from '../../kit/time.tsx';
import { about, count, percent, sumOf } from '../../kit/words.ts';
import { useLastDays } from '../../shell/campaigns.ts';

/** The last 24 hours of all campaigns: which share failed, which the service refused, how late results were. */
type Point = AllSeries['items'][number];
type Count = (point: Point) => number;
const failed: Count = ({ outcomes }) => outcomes.failed ?? 0;
const asked: Count = ({ requests }) => requests.create + requests.poll;
const partText = (part: number, of: number) => `${count(part)} of ${count(of)}`;
const secondOf = ({ at }: Point) => Date.parse(at) / 1_000;
const inHour = ({ at }: Point) => `in the hour from ${timeText(at)}`;

export function History() {
  const { series, before, last } = useLastDays();
  const times = last.map(secondOf);
  const all = [...before, ...last];
  const each = seriesOf(last);
  const usually = (value: number) => ({ ...each('usual', '', () => value), line: true });
  const mostOf = (of: Count) => last.toSorted((a, b) => of(b) - of(a))[0];
  /** A share of each hour, so that a busy one does not hide the others. Some always fail: red is far more than usual, and more than a few. */
  const share = (title: string, label: string, of: Count, part: Count) => {
    const usual = sumOf(all.map(part)) / Math.max(1, sumOf(all.map(of)));
    const shareOf: Count = (point) => part(point) / Math.max(1, of(point));
    const most = Math.min(0.5, Math.max(0.1, 3 * usual));
    const far = last.filter((point) => part(point) >= 5 && shareOf(point) > most);
    const shares = each(label, 'bg-ink-2', (point) => (of(point) > 0 ? shareOf(point) : null));
    const worst = mostOf(shareOf);
    return (
      <Chart
        title={title}
        // A key is asked for other things too, which its own page counts.
        note={partText(sumOf(last.map(part)), sumOf(last.map(of))) + (of === asked ? ' of campaigns' : '')}
        foot={worst && part(worst) > 0 && `At worst ${partText(part(worst), of(worst))} ${inHour(worst)}.`}
        format={percent}
        merge="mean"
        times={times}
        series={[{ ...shares, alarms: new Set(far.map(secondOf)) }, usually(usual)]}
      />
    );
  };
  const lags = all.flatMap(({ result_lag: lag }) => lag?.mean ?? []);
  const usualLag = sumOf(lags) / Math.max(1, lags.length);
  const slow = mostOf(({ result_lag: lag }) => lag?.max ?? 0);
  return (
    <Section
      id="history"
      title="The last 24 hours"
      note="a shaded hour had no calls; the line is what is usual, a red bar is far from it"
      ruled
    >
      <Read of={series} lines={8}>
        {() => (
          <div className="grid gap-x-10 gap-y-4 lg:grid-cols-3">
            {share('Calls that failed', 'failed', ({ calls }) => calls, failed)}
            {share('Requests refused', 'sent again', asked, ({ refused }) => refused)}
            <Chart
              title="Time to a result"
              note="after its call"
              format={(seconds) => `${about(seconds)} s`}
              merge="mean"
              times={times}
              foot={slow?.result_lag && `The longest ${about(slow.result_lag.max)} s ${inHour(slow)}.`}
              series={[
                each('average', 'bg-ink-2', (point) => point.result_lag?.mean ?? null),
                usually(usualLag),
              ]}
            />
          </div>
        )}
      </Read>
    </Section>
  );
}
