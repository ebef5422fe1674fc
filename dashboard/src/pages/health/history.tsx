import type { AllSeries } from '../../api/description.ts';
import { Mark } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Chart } from '../../kit/chart/chart.tsx';
import { seriesOf } from '../../kit/chart/series.ts';
import { Read } from '../../kit/empty.tsx';
import { durationText, timeText } from '../../kit/time.tsx';
import { about, count, percent } from '../../kit/words.ts';
import { useLastDays } from '../../shell/last-days.ts';

/** The last 24 hours of all campaigns: which share failed, which the service refused, how late results were. */
type Point = AllSeries['items'][number];
type Count = (point: Point) => number;
const failed: Count = ({ outcomes }) => outcomes.failed ?? 0;
const asked: Count = ({ requests }) => requests.create + requests.poll;

export function History() {
  const { series, last } = useLastDays();
  const times = last.map(({ at }) => Date.parse(at) / 1_000);
  /** A share of each hour, so that a busy one does not hide the others; the counts of all stand beside the title. */
  const share = (title: string, label: string, fill: string, of: Count, part: Count) => {
    const [whole, wrong] = [of, part].map((each) => last.reduce((sum, point) => sum + each(point), 0));
    const values = last.map((point) => (of(point) > 0 ? part(point) / of(point) : null));
    return (
      <Chart
        title={title}
        note={`${count(wrong!)} of ${count(whole!)}`}
        format={percent}
        merge="mean"
        times={times}
        series={[{ label, fill, values }]}
      />
    );
  };
  const slow = last.toSorted((a, b) => (b.result_lag?.max ?? 0) - (a.result_lag?.max ?? 0))[0];
  const isOdd = slow?.result_lag && slow.result_lag.max > Math.max(10, 4 * slow.result_lag.mean);
  return (
    <Section id="history" title="The last 24 hours" note="all campaigns, by the hour" ruled>
      <Read of={series} lines={8}>
        {() => (
          <div className="grid gap-x-10 gap-y-4 lg:grid-cols-3">
            {share('Calls that failed', 'failed', 'bg-bad-fill', ({ calls }) => calls, failed)}
            {share(
              'Requests refused',
              'refused, sent again',
              'bg-warn-fill',
              asked,
              ({ refused }) => refused,
            )}
            <Chart
              title="Time to a result"
              note="after the end of its call"
              format={(seconds) => `${about(seconds)} s`}
              merge="mean"
              times={times}
              series={[seriesOf(last)('average', 'bg-ink-2', (point) => point.result_lag?.mean ?? null)]}
            />
            {isOdd && (
              <p className="flex items-center gap-2 text-sm text-warn lg:col-span-3">
                <Mark shape="up" />A result came {durationText(slow!.result_lag!.max * 1_000)} after its call,
                in the hour from {timeText(slow!.at)}: they take {about(slow!.result_lag!.mean)} s on average.
              </p>
            )}
          </div>
        )}
      </Read>
    </Section>
  );
}
