import type { Campaign, CampaignPoint, Report } from '../../../api/ask.ts';
import { BudgetMeter } from '../../../campaigns/budget.tsx';
import { doneShare, hasEnded, isAllRejected, peopleOf, usePace } from '../../../campaigns/state.tsx';
import { useLive } from '../../../data/queries.ts';
import { BalanceBar } from '../../../kit/bars.tsx';
import { stateText } from '../../../kit/basics.tsx';
import { Pair, SpanLinks, spanOf, spanSince, useSince } from '../../../kit/chart/chart.tsx';
import { seriesOf } from '../../../kit/chart/series.ts';
import { Notice, Read } from '../../../kit/page.tsx';
import { Link, useSearch } from '../../../kit/router.tsx';
import { Stat } from '../../../kit/values.tsx';
import {
  about,
  classes,
  cost,
  count,
  counted,
  hourText,
  isNight,
  rateText,
  sumOf,
} from '../../../kit/words.ts';
import { useMay } from '../../../shell/reads.ts';
import { outcomeFills, outcomes } from '../outcomes.ts';
import { Ending } from './forecast.tsx';
import { Outcomes, ReportPart, useReport } from './report.tsx';
import { Waits } from './waits.tsx';

/** How far the campaign is, why people wait, when it ends, and how it went: in one screen; then its calls compared. */
export function OverviewTab({ campaign }: { campaign: Campaign }) {
  const report = useReport(campaign).data;
  const isOver = hasEnded(campaign);
  const mayAct = useMay('operate');
  const { id, budget } = campaign;
  const ahead = { everyMs: 30_000, enabled: !isOver };
  const forecast = useLive('GET /api/campaigns/{id}/forecast', { id }, ahead);
  // Said at the head, where the hours of the order or the contact rules did not prevent it.
  const atNight = report?.items.filter(({ value }) => value !== null && isNight(Number(value))) ?? [];
  const nightCalls = sumOf(atNight.map(({ calls }) => calls));
  return (
    <>
      {nightCalls > 0 && (
        <Notice
          title={`${counted(nightCalls, 'call')} of ${count(report!.total.calls)} came at night: before ${hourText(8)} or after ${hourText(21)} where the person is.`}
          act={<Link to={`/campaigns/${id}?tab=order`}>Change the hours</Link>}
        />
      )}
      <div
        className={classes(
          'mb-6 grid grid-cols-1 gap-x-10 gap-y-6 xl:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)] xl:[--plot:clamp(8rem,calc(100dvh-45rem),18rem)] [&_section]:mb-0',
          // What stands below begins below the fold.
          !isOver && 'xl:min-h-[calc(100dvh-9rem)] xl:content-start',
        )}
      >
        <Standing campaign={campaign} report={report} />
        {!isOver && (
          <>
            <section aria-label="Forecast" className="min-w-0">
              <Read of={forecast}>
                {(data) => <Ending forecast={data} campaign={campaign} currency={campaign.currency} />}
              </Read>
            </section>
            <div className="grid min-w-0 content-start gap-5">
              <Waits
                of={campaign.waits}
                parked={campaign.balance.parked}
                campaign={campaign}
                limitedBy={forecast.data?.limited_by}
              />
              {budget && (
                <BudgetMeter budget={budget} unknown={campaign.balance.unknown > 0}>
                  {mayAct && !budget.open && (
                    <Link to={`/campaigns/${id}?tab=order`} className="link text-sm">
                      Raise it in the settings
                    </Link>
                  )}
                </BudgetMeter>
              )}
            </div>
          </>
        )}
        {report && <Outcomes campaign={campaign} report={report} />}
        {campaign.balance.attempts > 0 && <Course campaign={campaign} />}
      </div>
      {report && <ReportPart campaign={campaign} />}
    </>
  );
}

function Standing({ campaign, report }: { campaign: Campaign; report: Report | undefined }) {
  const { id, state, balance, currency } = campaign;
  const { perMinute } = usePace(id);
  const {
    calls,
    connect_rate: rate,
    people_called: called,
    reach_rate: reach,
  } = report?.total ?? campaign.answers;
  const spent = report ? report.total.cost : balance.cost;
  const each = report?.total.cost_per_connect;
  return (
    <section aria-labelledby="standing" className="min-w-0">
      <h2 id="standing" className="mb-2.5 flex flex-wrap items-baseline gap-x-3">
        <span className="text-2xl font-semibold tracking-[-0.02em]">
          {isAllRejected(campaign) ? 'Nobody to call' : `${doneShare(balance)}%`}
        </span>
        <span className="text-quiet">
          {!isAllRejected(campaign) && `of ${counted(peopleOf(balance), 'person is', 'people are')} done`}
          {balance.rejected > 0 && (
            <>
              {!isAllRejected(campaign) && ', '}
              <Link to={`/campaigns/${id}?tab=results`}>{counted(balance.rejected, 'row')} rejected</Link>
            </>
          )}
        </span>
      </h2>
      <BalanceBar
        balance={balance}
        legend
        thickness="fat"
        wrap={(part, words) => (
          <Link to={`/campaigns/${id}?tab=people&state=${part}`} className="hover:underline">
            {words}
          </Link>
        )}
      />
      {balance.attempts > 0 && (
        <dl className="mt-4 grid grid-cols-2 gap-x-4 gap-y-3 sm:auto-cols-fr sm:grid-flow-col sm:[&_dd]:whitespace-nowrap">
          {state === 'running' && (
            <Stat name="Calls a minute" note={`${count(balance.calling)} in progress`}>
              {perMinute === null ? '–' : about(perMinute >= 10 ? Math.round(perMinute) : perMinute)}
            </Stat>
          )}
          <Stat name="Answered" note={`of ${counted(calls, 'ended call')}`}>
            {rateText(rate)}
          </Stat>
          <Stat name="Cost so far" note={each == null ? '' : `${cost(each, currency)} an answer`}>
            {cost(spent, currency)}
          </Stat>
          <Stat
            name="Calls made"
            note={called > 0 && `${about(calls / called)} a person, ${rateText(reach)} reached`}
          >
            {count(balance.attempts)}
          </Stat>
        </dl>
      )}
    </section>
  );
}

const sentAt = ({ requests: { create, poll } }: CampaignPoint) => create + poll;
const stepWords = { minute: 'minute', '5min': '5 minutes', hour: 'hour', day: 'day' };

function Course({ campaign }: { campaign: Campaign }) {
  const { id, since } = campaign;
  const search = useSearch('/campaigns/$id');
  const span = spanOf(search.span, hasEnded(campaign) ? spanSince(since) : '1h');
  const answer = useLive(
    'GET /api/campaigns/{id}/series',
    { id, since: useSince(span) },
    { everyMs: 15_000, keep: true },
  );
  return (
    <section aria-label="Over time" className="min-w-0 xl:col-span-2">
      <Read of={answer} lines={8}>
        {({ step, step_seconds: seconds, items }) => {
          const bars = seriesOf(items);
          return (
            <Pair
              times={items.map(({ at }) => Date.parse(at) / 1_000)}
              charts={[
                {
                  title: 'Calls ended',
                  note: `each ${stepWords[step]}`,
                  acts: <SpanLinks current={span} />,
                  series: outcomes.map((outcome) =>
                    bars(stateText(outcome), outcomeFills[outcome], (point) => point.outcomes[outcome] ?? 0),
                  ),
                },
                {
                  title: 'Requests a second',
                  note: 'of its calls',
                  format: (n) => about(Math.round(n * 100) / 100),
                  merge: 'mean',
                  series: [
                    bars('taken', 'bg-ink-2', (point) => (sentAt(point) - point.refused) / seconds),
                    bars('refused', 'bg-bad-fill', ({ refused }) => refused / seconds),
                    { ...bars('limit of all open keys', '', ({ limit }) => limit), line: 'limit' },
                  ],
                },
              ]}
            />
          );
        }}
      </Read>
    </section>
  );
}
