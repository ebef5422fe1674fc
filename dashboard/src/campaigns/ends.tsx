import type { ReactNode } from 'react';
import type { CampaignItem, Forecast } from '../api/description.ts';
import { useLive } from '../data/use-live.ts';
import { isSameMinute, Time } from '../kit/time.tsx';
import { count, counted } from '../kit/words.ts';
import { openOf } from './pace.ts';
import { hasEnded, waitsForTime } from './state.tsx';

/** When a campaign that is not paused ended, or ends as the forecast has it, or why no end can be told; `brief` has no second line, and tells of one that waits for a time its next call. */
export function Ends({
  campaign,
  brief,
}: {
  campaign: CampaignItem;
  brief?: (ahead?: Forecast, made?: number) => string | null;
}) {
  const { id, state, balance } = campaign;
  const { parked, unknown, attempts } = balance;
  const { data } = useLive(
    'GET /api/campaigns/{id}/forecast',
    { params: { id } },
    { everyMs: 60_000, enabled: state === 'running' },
  );
  if (hasEnded(campaign))
    return (
      <span className="text-quiet">
        ended <Time at={campaign.since} />
      </span>
    );
  if (state === 'draft') return 'not started yet';
  const told = (words: ReactNode, note: ReactNode) =>
    brief ? (
      (words ?? note)
    ) : (
      <>
        <b className="font-semibold">{words ?? '–'}</b>
        <p className="text-xs whitespace-nowrap text-quiet">{note}</p>
      </>
    );
  // With nobody left to call, it waits for a person to settle its unknown attempts.
  if (unknown > 0 && openOf(balance) === unknown)
    return told(
      brief ? 'ends when settled' : 'when settled',
      `${counted(unknown, 'call is', 'calls are')} unknown`,
    );
  const { p10, p50, p90 } = data?.ends_at ?? { p10: null, p50: null, p90: null };
  if (!p50)
    return told(
      null,
      !data ? 'forecast' : data.limited_by === 'budget' ? 'budget ends first' : 'stands still',
    );
  const [from, to] = [p10 ?? p50, p90 ?? p50];
  // The day stands above them.
  const isOneDay = [from, to].every((at) => new Date(at).toDateString() === new Date(p50).toDateString());
  const range = !isSameMinute(from, to) && (
    <>
      <Time at={from} clock={isOneDay} /> to <Time at={to} clock={isOneDay} />
    </>
  );
  const next = waitsForTime(campaign.standstill) && brief?.(data, attempts);
  if (next) return next;
  return told(
    <>
      {brief && 'ends '}
      <Time at={p50} />
    </>,
    parked > 0 ? `but for ${count(parked)} parked` : range,
  );
}
