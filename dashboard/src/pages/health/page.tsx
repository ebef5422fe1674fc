import type { Alert, AllSeries, Process } from '../../api/ask.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/basics.tsx';
import { Chart } from '../../kit/chart/chart.tsx';
import { seriesOf } from '../../kit/chart/series.ts';
import { Commands, Glance, Page, Read, Section, Trouble } from '../../kit/page.tsx';
import { Link } from '../../kit/router.tsx';
import { DataTable, left, right } from '../../kit/table/data-table.tsx';
import { Ago, Time } from '../../kit/values.tsx';
import { about, count, counted, durationText, inRow, percent, sumOf, timeText } from '../../kit/words.ts';
import { alerts, openHealth } from '../../shell/causes.ts';
import { haltsOf, stopOf, useNeeds } from '../../shell/needs.ts';
import { NeedAct, NeedsList, NeedText } from '../../shell/needs-list.tsx';
import { ActButton } from '../../shell/opens.tsx';
import { useLastDays, useNobodyTold } from '../../shell/reads.ts';
import { KnownRows } from '../../shell/service.tsx';

/** The last 24 hours of all campaigns: which share failed, which the service refused, how late results were. */
type Point = AllSeries['items'][number];
type Count = (point: Point) => number;
const failed: Count = ({ outcomes }) => outcomes.failed ?? 0;
/** A key is asked for other things too, which its own page counts. */
const asked: Count = ({ requests }) => requests.create + requests.poll;
const partText = (part: number, of: number) => `${count(part)} of ${count(of)}`;
const secondOf = ({ at }: Point) => Date.parse(at) / 1_000;
const inHour = ({ at }: Point) => `in the hour from ${timeText(at)}`;

function History() {
  const { series, before, last } = useLastDays();
  const all = [...before, ...last];
  if (series.data && sumOf(all.map((point) => asked(point) + point.calls)) === 0)
    return <p className="mb-6 text-sm text-quiet">No call was made in the last 24 hours.</p>;
  const each = seriesOf(last);
  const charts = { merge: 'mean', times: last.map(secondOf) } as const;
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
        {...charts}
        title={title}
        note={partText(sumOf(last.map(part)), sumOf(last.map(of)))}
        foot={worst && part(worst) > 0 && `At worst ${partText(part(worst), of(worst))} ${inHour(worst)}.`}
        format={percent}
        series={[{ ...shares, alarms: new Set(far.map(secondOf)) }, usually(usual)]}
      />
    );
  };
  const lags = all.flatMap(({ result_lag: lag }) => lag?.mean ?? []);
  const slow = mostOf(({ result_lag: lag }) => lag?.max ?? 0);
  return (
    <Section
      title="The last 24 hours"
      note="a shaded hour had no calls; the line is what is usual, a red bar is far from it"
      ruled
    >
      <Read of={series} lines={8}>
        {() => (
          <div className="grid gap-x-10 gap-y-4 md:grid-cols-2 xl:grid-cols-3">
            {share('Calls that failed', 'failed', ({ calls }) => calls, failed)}
            {share('Requests refused', 'of campaigns’, sent again', asked, ({ refused }) => refused)}
            <Chart
              {...charts}
              title="Time to a result"
              note="after its call"
              format={(seconds) => `${about(seconds)} s`}
              foot={slow?.result_lag && `The longest ${about(slow.result_lag.max)} s ${inHour(slow)}.`}
              series={[
                each('average', 'bg-ink-2', (point) => point.result_lag?.mean ?? null),
                usually(sumOf(lags) / Math.max(1, lags.length)),
              ]}
            />
          </div>
        )}
      </Read>
    </Section>
  );
}

/** The processes that work on the ledger: how each is, what to do where one is not well, and what it uses. */
const processColumns = [
  left<Process>('process', 'Process', (process) => (
    <span className="block py-1">
      <span className="font-medium break-all" title={process.parts.join(', ')}>
        {process.host} <span className="font-normal text-quiet">process {process.pid}</span>
      </span>
      <span className="block max-w-prose text-warn empty:hidden">{adviceOf(process)}</span>
    </span>
  )),
  left<Process>('state', 'State', ({ alive, trouble, loops }) => {
    if (!alive || trouble) return <Badge state="critical" label={alive ? 'must not dial' : 'silent'} />;
    const isStuck = loops.some(({ stuck }) => stuck);
    return <Badge state={isStuck ? 'warning' : 'done'} label={isStuck ? 'a worker is stuck' : 'alive'} />;
  }),
  right<Process>('loops', 'Workers', ({ loops }) => (
    <span title={loops.map(({ name, age_ms: age }) => `${name}: ${durationText(age)} ago`).join('\n')}>
      {count(loops.filter(({ stuck }) => !stuck).length)} of {count(loops.length)} on time
    </span>
  )),
  right<Process>(
    'memory',
    'Memory',
    ({ memory_bytes: bytes }) => `${count(Math.round(bytes / 1_048_576))} MiB`,
  ),
  right<Process>('clock', 'Clock ahead', { from: 'lg' }, ({ clock_ahead_ms: ahead }) => `${count(ahead)} ms`),
  right<Process>('started', 'Started', ({ started_at: at }) => <Ago at={at} />),
  right<Process>('build', 'Release', { from: 'lg' }, ({ version }) => version),
];

function adviceOf({ alive, silent_ms: silent, trouble, loops }: Process): string {
  if (!alive)
    return `Not heard of for ${durationText(silent)}: it died, or cannot reach the ledger. Look at its log, and start it again.`;
  // Of all but this, an alert tells what to do, among what needs you.
  if (trouble === 'ledger-layout')
    return 'The ledger has another layout than it knows: run the same release everywhere.';
  const stuck = loops.filter((loop) => loop.stuck).map(({ name }) => name);
  return stuck.length > 0 ? `Stuck: ${stuck.join(', ')}. Restart the process; nothing is lost.` : '';
}

/** Whether everything that calls depend on works: one verdict, what it is made of, and what settles what is ill. */
export function HealthPage() {
  const ready = useAsk('GET /readyz', {}, { everyMs: 10_000 });
  const processes = useAsk('GET /api/processes', {}, { everyMs: 10_000 });
  // As `carillon doctor` does, by hand: it sends a request with each key.
  const doctor = useAsk('GET /api/doctor', {}, { enabled: false });
  const isUntold = useNobodyTold();
  const { items, isKnown } = useNeeds();
  // Not fine for a moment, and then not.
  if (ready.isPending || !(isKnown || ready.error))
    return <Page title="Health" of={{ ...ready, data: undefined }} lines={6} />;
  const problem = ready.error;
  const silent = processes.data?.items.filter(({ alive }) => !alive).length ?? 0;
  const marks = parts.map(([part, of, to]) => {
    const need = items.find(({ id }) => of?.test(id));
    return { part, to, need, isIll: need !== undefined || (part === 'Alerts' && isUntold) };
  });
  const ill = marks.flatMap(({ part, isIll }) => (isIll ? part : []));
  // The rest stands on the overview, with its acts.
  const own = items.filter(
    ({ id }) => id === 'no-worker' || alerts[id.split(' ')[0] as Alert['code']]?.ofHealth,
  );
  const halts = haltsOf(items);
  const grave =
    halts.find(({ all, tone }) => all && tone === 'bad') ?? own.find(({ tone }) => tone === 'bad');
  // A page that is well is not one on which a campaign waits for somebody.
  const head = grave ?? (silent > 0 ? undefined : halts[0]);
  // Of a stop the banner has the act.
  const stop = stopOf(items);
  const verdict =
    head?.what ??
    stop?.what ??
    (silent > 0
      ? `${counted(silent, 'process is', 'processes are')} silent.`
      : ill.length > 0
        ? `Carillon works; look at ${inRow(ill).toLowerCase()}.`
        : 'Everything works.');
  return (
    <Page
      title="Health"
      acts={
        <ActButton may="operate" onClick={() => void doctor.refetch()} busy={doctor.isFetching}>
          Run checks
        </ActButton>
      }
    >
      <Glance
        level={problem || grave ? 'act' : ill.length + silent === 0 && !stop ? 'fine' : 'watch'}
        title={problem?.message ?? verdict}
        acts={!problem && head?.act && head.act !== openHealth && <NeedAct act={head.act} />}
      >
        {problem ? (
          <Commands text={problem.remedy ?? ''} />
        ) : (
          <>
            {head && <NeedText of={head} />}
            {/* What is ill comes first, in a line of its own. */}
            {[true, false].map((isIll) => (
              <span key={String(isIll)} className="mt-1 flex flex-wrap gap-x-5 gap-y-1 empty:hidden">
                {marks
                  .filter((mark) => mark.isIll === isIll)
                  .map(({ part, to, need }) => {
                    if (!isIll) return <Badge key={part} tone="quiet" state="done" label={part} />;
                    const why = need ? need.since && ` since ${timeText(need.since)}` : ': nobody is told';
                    return (
                      <Link key={part} to={to ?? '/health'} className="link">
                        <Badge state={need ? tones[need.tone] : 'warning'} label={part + (why ?? '')} />
                      </Link>
                    );
                  })}
                {!isIll && (
                  <span className="text-sm">
                    checked <Time at={new Date(ready.dataUpdatedAt).toISOString()} seconds />
                  </span>
                )}
              </span>
            ))}
          </>
        )}
      </Glance>
      {!problem && (
        <NeedsList
          title="Machines and processes"
          items={own
            .filter((need) => need !== head)
            .map(({ act, ...need }) => (act && act !== openHealth ? { ...need, act } : need))}
        />
      )}
      {doctor.error && <Trouble problem={doctor.error} />}
      {doctor.data && (
        <Section title="Keys, settings and webhooks">
          <KnownRows
            of={doctor.data.checks
              .toSorted((a, b) => ranks.indexOf(b.state) - ranks.indexOf(a.state))
              .map(({ state, what, detail, remedy }) => [
                what,
                <Badge key="state" {...looks[state]} />,
                <>
                  {detail} {remedy && <Commands text={`What to do: ${remedy}`} />}
                </>,
              ])}
          />
        </Section>
      )}
      <History />
      <Read of={processes}>
        {({ items: all }) => (
          <Section title="Processes">
            <DataTable label="Processes" rows={all} columns={processColumns} />
          </Section>
        )}
      </Read>
    </Page>
  );
}

/** What calls depend on, the needs that tell that it is ill, and where that is seen. */
const parts: readonly (readonly [part: string, needs?: RegExp, place?: string])[] = [
  ['Database', /^(?:history-lost|disk-filling) /],
  ['Queue'],
  ['Clock', /^clock-off /],
  ['Workers', /^(?:(?:loop-stuck|row-aside) |no-worker$)/],
  ['Contact rules', /^(?:no rules|policy-differs )/, '/policy'],
  ['Keys', /^(?:every )?key /, '/keys'],
  ['Unknown calls', /^unknown$/, '/unknown'],
  ['Webhooks', /^webhook-down /, '/webhooks'],
  ['Alerts', /^alerts-unsent /, '/alerts'],
];
const tones = { bad: 'critical', odd: 'unknown', warn: 'warning' } as const;
const ranks: readonly string[] = ['ok', 'warn', 'fail'];
const looks = {
  ok: { state: 'open', label: 'ok' },
  warn: { state: 'warning', label: 'watch' },
  fail: { state: 'critical', label: 'fault' },
} as const;
