import type { AllSeries } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { Chart } from '../../kit/chart/chart.tsx';
import { Read } from '../../kit/empty.tsx';
import { about, count, percent } from '../../kit/words.ts';
import { useLastDays } from '../../shell/last-days.ts';

/** The last 24 hours of all campaigns: which share failed, which the service refused, how late results were. */
type Point = AllSeries['items'][number];

export function History() {
  const { series, last } = useLastDays();
  const times = last.map(({ at }) => Date.parse(at) / 1_000);
  /** A share of each hour, so that a busy one does not hide the others; the counts of all stand beside the title. */
  const share = (title: string, label: string, of: (point: Point) => number, part: typeof of) => {
    const [whole, wrong] = [of, part].map((each) => last.reduce((sum, point) => sum + each(point), 0));
    const values = last.map((point) => (of(point) > 0 ? part(point) / of(point) : null));
    return (
      <Chart
        title={title}
        note={`${count(wrong!)} of ${count(whole!)}`}
        format={percent}
        merge="mean"
        times={times}
        series={[{ label, fill: 'bg-ink-2', values }]}
      />
    );
  };
  return (
    <Section id="history" title="The last 24 hours" note="all campaigns, by the hour">
      <Read of={series} lines={8}>
        {() => (
          <div className="grid gap-x-10 gap-y-4 lg:grid-cols-3">
            {share(
              'Calls that failed',
              'failed',
              ({ calls }) => calls,
              ({ outcomes }) => outcomes.failed ?? 0,
            )}
            {share(
              'Requests refused',
              'refused, sent again',
              ({ requests }) => requests.create + requests.poll,
              ({ refused }) => refused,
            )}
            <Chart
              title="Slowest result"
              note="after the end of its call"
              format={(seconds) => `${about(seconds)} s`}
              merge="mean"
              times={times}
              series={[
                {
                  label: 'at most',
                  fill: 'bg-ink-2',
                  values: last.map(({ result_lag: lag }) => lag?.max ?? null),
                },
              ]}
            />
          </div>
        )}
      </Read>
    </Section>
  );
}
