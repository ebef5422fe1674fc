import { type ReactNode, useState } from 'react';
import type { CampaignItem, Forecast } from '../api/ask.ts';
import { useLive } from '../data/queries.ts';
import { Button } from '../kit/basics.tsx';
import { Time } from '../kit/values.tsx';
import { count, isSameMinute } from '../kit/words.ts';
import { actOfStill, alerts } from '../shell/causes.ts';
import { NeedAct } from '../shell/needs-list.tsx';
import { part } from '../shell/part.tsx';
import { useMay, verbs } from '../shell/reads.ts';
import { endWords, hasEnded, isAllRejected, isUndriven, waitsForTime } from './state.tsx';

/** What a line tells of a campaign: when it ends, and its next act. */

/** When a campaign that is not paused ended, or ends as the forecast has it, or why no end can be told; `brief` has no second line, and tells of one that waits for a time its next call. */
export function Ends({
  campaign,
  brief,
}: {
  campaign: CampaignItem;
  brief?: (ahead?: Forecast, made?: number) => string | null;
}) {
  const { id, state, balance } = campaign;
  const { parked, attempts } = balance;
  const { data } = useLive(
    'GET /api/campaigns/{id}/forecast',
    { id },
    { everyMs: 60_000, enabled: state === 'running' },
  );
  if (hasEnded(campaign))
    return (
      <span className="text-quiet">
        ended <Time at={campaign.since} />
      </span>
    );
  if (state === 'draft') return 'not started yet';
  if (isAllRejected(campaign)) return <span className="text-quiet">nobody to call</span>;
  const told = (words: ReactNode, note: ReactNode) =>
    brief ? (
      (words ?? note)
    ) : (
      <>
        <b className="font-semibold">{words ?? '–'}</b>
        <p className="text-xs text-quiet">{note}</p>
      </>
    );
  const goesOn = endWords(campaign);
  if (goesOn) return told(null, goesOn);
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

/** The overview is the first screen: the dialogs come when they are asked for. */
const StartCampaign = part(() => import('./start-stop.tsx'), 'StartCampaign');
const StopCampaign = part(() => import('./start-stop.tsx'), 'StopCampaign');

/** The next act, in the line that tells of the campaign; it asks the same as on the campaign's own page. */
export function QuickAct({ campaign }: { campaign: CampaignItem }) {
  // What was asked stays what it was, whatever becomes of the campaign.
  const [asked, setAsked] = useState<'pause' | 'start' | null>(null);
  const may = useMay('operate');
  const { id, state, name, standstill } = campaign;
  const act = isAllRejected(campaign) ? alerts['list-rejected'].act!(id) : actOfStill(campaign);
  if (act) return <NeedAct act={act} kind="plain" small className="shrink-0" />;
  // One that stands still until something else is done is not paused from here.
  const verb = isUndriven(campaign) ? 'Start' : standstill?.ends === 'act' ? undefined : verbs[state];
  if (!may || !verb) return null;
  const close = () => setAsked(null);
  return (
    <>
      <Button
        acts
        small
        className="shrink-0"
        aria-label={`${verb} ${name}`}
        onClick={() => setAsked(verb === 'Pause' ? 'pause' : 'start')}
      >
        {verb}
      </Button>
      {asked === 'pause' && <StopCampaign campaign={campaign} act="pause" onClose={close} />}
      {asked === 'start' && <StartCampaign campaign={campaign} onClose={close} />}
    </>
  );
}
