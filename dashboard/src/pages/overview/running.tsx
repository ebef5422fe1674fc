import type { CampaignItem, Forecast } from '../../api/description.ts';
import { AnswerStats } from '../../kit/answers.tsx';
import { Badge } from '../../kit/badge.tsx';
import { BalanceBar } from '../../kit/balance-bar.tsx';
import { Card } from '../../kit/card.tsx';
import { Spark } from '../../kit/spark.tsx';
import { Stat, Stats } from '../../kit/stat.tsx';
import { Time } from '../../kit/time.tsx';
import { about, cost, count, counted } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { usePace } from './pace.ts';

/** One running campaign: how far it is, how fast, how well, when it ends and what it costs. */
export function RunningCampaign({ campaign, updatedAt }: { campaign: CampaignItem; updatedAt: number }) {
  const { id, name, balance, driver, run_active: driven } = campaign;
  const waitsForRun = driver === 'run' && !driven;
  return (
    <Card>
      <article aria-label={name}>
        <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
          <h3 className="min-w-0 font-semibold">
            <PageLink to={`/campaigns/${id}`}>{name}</PageLink>
          </h3>
          <Badge state="running" />
          <span className="text-sm text-quiet">{counted(balance.rows, 'row')}</span>
          {driver === 'run' && driven && <span className="text-sm text-quiet">driven by an active run</span>}
          {waitsForRun && (
            <span className="text-sm text-warn">
              no run drives it: nobody is called until it is started again
            </span>
          )}
        </div>
        <BalanceBar balance={balance} legend />
        <div className="mt-3 border-t border-line pt-3">
          <Numbers campaign={campaign} updatedAt={updatedAt} />
        </div>
      </article>
    </Card>
  );
}

type NumbersProps = { campaign: CampaignItem; updatedAt: number };

function Numbers({ campaign: { id, balance, answers }, updatedAt }: NumbersProps) {
  const { perMinute, minutes } = usePace(id, balance.attempts, updatedAt);
  const forecast = useLive('GET /api/campaigns/{id}/forecast', { params: { id } }, { everyMs: 60_000 });
  return (
    <Stats>
      <Stat name="Called" note={`of ${count(balance.rows)}, ${count(balance.done)} done`}>
        {count(answers.people_called)}
      </Stat>
      <Stat
        name="Calls a minute"
        note={
          minutes.length > 1 ? (
            <Spark values={minutes} label="The last hour, by the minute" />
          ) : (
            'in the last minute'
          )
        }
      >
        {perMinute === null ? '–' : about(perMinute)}
      </Stat>
      <AnswerStats answers={answers} />
      <Stat name="In progress" note={counted(balance.queued, 'queued', 'queued')}>
        {count(balance.calling)}
      </Stat>
      <Ends balance={balance} at={forecast.data?.ends_at} />
      <Stat
        name="Cost"
        note={
          forecast.data?.cost === null || forecast.data === undefined
            ? 'so far'
            : `${cost(forecast.data.cost)} more to come`
        }
      >
        {balance.cost === null ? '–' : cost(balance.cost)}
      </Stat>
    </Stats>
  );
}

type EndsProps = { balance: CampaignItem['balance']; at: Forecast['ends_at'] | undefined };

/** With nobody left to call, a campaign that runs waits for a person to settle its unknown attempts. */
function Ends({ balance: { waiting, queued, calling, parked, unknown }, at }: EndsProps) {
  if (unknown > 0 && waiting + queued + calling + parked === 0) {
    return (
      <Stat name="Ends" note={`${counted(unknown, 'attempt is', 'attempts are')} unknown`}>
        when settled
      </Stat>
    );
  }
  const note = at?.p90 ? (
    <>
      90 % sure by <Time at={at.p90} roughly />
    </>
  ) : (
    'forecast'
  );
  return (
    <Stat name="Ends about" note={note}>
      {at?.p50 ? <Time at={at.p50} roughly /> : '–'}
    </Stat>
  );
}
