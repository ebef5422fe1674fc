import type { Campaign } from '../../../api/description.ts';
import { Section } from '../../../kit/card.tsx';
import { BalanceParts } from './balance.tsx';
import { ForecastCard } from './forecast.tsx';
import { Numbers } from './numbers.tsx';
import { ReportPart } from './report.tsx';
import { SeriesPart } from './series.tsx';
import { Waits } from './waits.tsx';

/** How far the campaign is, why people wait, when it ends, and how it went. */
type TabProps = { campaign: Campaign; updatedAt: number };

export function OverviewTab({ campaign, updatedAt }: TabProps) {
  const isOver = campaign.state === 'canceled' || campaign.state === 'done';
  return (
    <>
      <Section id="standing" title="Standing">
        <BalanceParts campaign={campaign} />
        <div className="mt-4 border-t border-line pt-4">
          <Numbers campaign={campaign} updatedAt={updatedAt} />
        </div>
      </Section>
      <div className="grid gap-x-6 xl:grid-cols-2">
        <Waits campaign={campaign} />
        {!isOver && <ForecastCard campaign={campaign} />}
      </div>
      <SeriesPart campaign={campaign} />
      <ReportPart campaign={campaign} />
    </>
  );
}
