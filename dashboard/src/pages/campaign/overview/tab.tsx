import { Link } from '@tanstack/react-router';
import type { Budget, Campaign } from '../../../api/description.ts';
import { BudgetMeter } from '../../../campaigns/budget.tsx';
import { usePace } from '../../../campaigns/pace.ts';
import { useMay } from '../../../shell/me.ts';
import { ForecastCard } from './forecast.tsx';
import { Outcomes } from './outcomes.tsx';
import { NightNotice, ReportPart, useReport } from './report.tsx';
import { SeriesPart } from './series.tsx';
import { Standing } from './standing.tsx';

/** How far the campaign is, why people wait, when it ends, and how it went. */
type TabProps = { campaign: Campaign; updatedAt: number };

export function OverviewTab({ campaign, updatedAt }: TabProps) {
  const isOver = campaign.state === 'canceled' || campaign.state === 'done';
  const report = useReport(campaign).data;
  return (
    <>
      <NightNotice id={campaign.id} report={report} />
      {/* Two columns side by side; where there is one, when it ends comes after how far it is. */}
      <div className="gap-x-10 max-xl:flex max-xl:flex-col xl:grid xl:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)]">
        <div className="min-w-0 max-xl:contents">
          <Standing campaign={campaign} updatedAt={updatedAt} report={report} />
          <div className="min-w-0 max-xl:order-2">
            <SeriesPart campaign={campaign} />
          </div>
        </div>
        <div className="min-w-0 max-xl:contents">
          <div className="mb-8 min-w-0 space-y-4 max-xl:order-1">
            {!isOver && <ForecastCard campaign={campaign} />}
            {campaign.budget && <Money of={campaign} budget={campaign.budget} updatedAt={updatedAt} />}
          </div>
          <div className="min-w-0 max-xl:order-3">
            <Outcomes id={campaign.id} report={report} />
          </div>
        </div>
      </div>
      <ReportPart campaign={campaign} />
    </>
  );
}

/** What is spent of the campaign's budget; one that keeps people waiting leads to where it is raised. */
function Money({ of: { id, state, balance }, budget, updatedAt }: MoneyProps) {
  const { perMinute } = usePace(id, balance.attempts, updatedAt);
  const may = useMay('operate');
  return (
    <BudgetMeter budget={budget} pace={state === 'running' ? perMinute : null}>
      {may && !budget.open && (
        <Link to="/campaigns/$id" params={{ id }} search={{ tab: 'order' }} className="link text-sm">
          Raise it in the settings
        </Link>
      )}
    </BudgetMeter>
  );
}
type MoneyProps = { of: Campaign; budget: Budget; updatedAt: number };
