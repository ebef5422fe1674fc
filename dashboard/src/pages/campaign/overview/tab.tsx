import type { Campaign } from '../../../api/description.ts';
import { ForecastCard } from './forecast.tsx';
import { Outcomes } from './outcomes.tsx';
import { ReportPart } from './report.tsx';
import { SeriesPart } from './series.tsx';
import { Standing } from './standing.tsx';
import { Waits } from './waits.tsx';

/** How far the campaign is, why people wait, when it ends, and how it went. */
type TabProps = { campaign: Campaign; updatedAt: number };

export function OverviewTab({ campaign, updatedAt }: TabProps) {
  const isOver = campaign.state === 'canceled' || campaign.state === 'done';
  return (
    <>
      <div className="grid gap-x-10 xl:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)]">
        <Standing campaign={campaign} updatedAt={updatedAt} />
        {!isOver && <ForecastCard campaign={campaign} />}
        <Waits campaign={campaign} />
        <Outcomes campaign={campaign} />
      </div>
      <SeriesPart campaign={campaign} />
      <ReportPart campaign={campaign} />
    </>
  );
}
