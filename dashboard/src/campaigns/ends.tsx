import type { ReactNode } from 'react';
import type { CampaignItem, Forecast } from '../api/description.ts';
import { useLive } from '../data/use-live.ts';
import { isSameMinute, Time } from '../kit/time.tsx';
import { count, counted } from '../kit/words.ts';
import { hasEnded } from './state.tsx';

/** When a campaign ended, or ends as the forecast has it, or why no end can be told; `brief` has no second line. */
type EndsProps = { campaign: CampaignItem; brief?: boolean };

export function Ends({ campaign, brief = false }: EndsProps) {
  const { id, state, balance } = campaign;
  const isRunning = state === 'running';
  const forecast = useLive(
    'GET /api/campaigns/{id}/forecast',
    { params: { id } },
    { everyMs: 60_000, enabled: isRunning },
  );
  const [big, note] = isRunning ? endOf(balance, forecast.data) : [null, resting[state]];
  if (hasEnded(campaign))
    return (
      <span className="text-quiet">
        ended <Time at={campaign.since} />
      </span>
    );
  if (brief) return big ? <>ends {big}</> : note;
  return (
    <>
      <b className="font-semibold">{big ?? '–'}</b>
      <p className="text-xs text-quiet">{note}</p>
    </>
  );
}

/** With nobody left to call, a campaign that runs waits for a person to settle its unknown attempts. */
function endOf(
  { waiting, queued, calling, parked, unknown }: CampaignItem['balance'],
  forecast: Forecast | undefined,
): [big: ReactNode, note: ReactNode] {
  if (unknown > 0 && waiting + queued + calling + parked === 0)
    return ['when settled', `${counted(unknown, 'call is', 'calls are')} unknown`];
  const { p10, p50, p90 } = forecast?.ends_at ?? { p10: null, p50: null, p90: null };
  if (!p50) return [null, forecast ? (withoutEnd[forecast.limited_by] ?? 'no pace known yet') : 'forecast'];
  // The day stands above them.
  const isOneDay = [p10, p90].every(
    (at) => !at || new Date(at).toDateString() === new Date(p50).toDateString(),
  );
  return [
    <Time key="big" at={p50} />,
    <span key="note">
      {!isSameMinute(p10 ?? p50, p90 ?? p50) && (
        <>
          <Time at={p10 ?? p50} clock={isOneDay} /> to <Time at={p90 ?? p50} clock={isOneDay} />
        </>
      )}
      {parked > 0 && ` but for ${count(parked)} parked`}
    </span>,
  ];
}

/** The reasons for which no end can be told. */
const withoutEnd: Partial<Record<Forecast['limited_by'], string>> = {
  credit: 'not without credit',
  refused: 'not while the service refuses',
  budget: 'not within budget',
};

const resting: Partial<Record<CampaignItem['state'], string>> = {
  draft: 'not started yet',
  paused: 'once resumed',
};
