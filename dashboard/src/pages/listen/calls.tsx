import { type ReactNode, useState } from 'react';
import type { Campaign, FirstCall } from '../../api/description.ts';
import { waitingOf } from '../../campaigns/pace.ts';
import { StartCampaign, StopCampaign } from '../../campaigns/start-stop.tsx';
import { useLive } from '../../data/use-live.ts';
import { PartsBar } from '../../kit/balance-bar.tsx';
import { Button, buttonClasses } from '../../kit/button.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { TextFilter } from '../../kit/filter.tsx';
import { useSearch } from '../../kit/router.tsx';
import { count, counted, sumOf } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import type { Heard, Judged } from './call.tsx';
import { beat, Listening, useGo, useHeard } from './listening.tsx';

/** A person tells more than a voicemail: those who answered come first. */
const answeredFirst = (a: FirstCall, b: FirstCall) =>
  Number(b.outcome === 'answered') - Number(a.outcome === 'answered');

/** The first people's calls, and those in which something was said. */
export function FirstCalls({ campaign, children }: { campaign: Campaign; children: ReactNode }) {
  const { said } = useSearch('/listen');
  const go = useGo();
  const place = (query: { said?: string }) => ({
    params: { id: campaign.id },
    query: { ...query, limit: 1_000 },
  });
  const all = useLive('GET /api/campaigns/{id}/first', place({}), beat);
  const found = useLive('GET /api/campaigns/{id}/first', place({ said: said ?? '' }), {
    ...beat,
    enabled: said !== undefined,
  });
  const everyone = useHeard(all.data?.items).sort(answeredFirst);
  const matching = useHeard(found.data?.items).sort(answeredFirst);
  if (all.data && everyone.length === 0)
    return (
      <Empty title="Nothing was said to its first people">
        A call stands here when it has ended and somebody spoke: a person, or a voicemail.
      </Empty>
    );
  return (
    <Read of={all} lines={8}>
      {() => (
        <Listening
          label="Calls to the first people"
          rows={said === undefined ? everyone : matching}
          of={everyone}
          then={thenText(campaign, everyone.length)}
          foot={<Then campaign={campaign} everyone={everyone} />}
        >
          {children}
          <Standing everyone={everyone} campaign={campaign} />
          <div className="my-3 [&>div]:w-full">
            <TextFilter
              label="Words that were said"
              placeholder="Search in what was said"
              value={said}
              onChange={(words) => go({ said: words, call: undefined })}
            />
          </div>
          {found.data && matching.length === 0 && (
            <p className="text-sm text-quiet">In none of these calls “{said}” was said.</p>
          )}
        </Listening>
      )}
    </Read>
  );
}

function Standing({ everyone, campaign }: { everyone: readonly Heard[]; campaign: Campaign }) {
  const of = (wanted: Judged | null) => everyone.filter(({ as }) => as === wanted).length;
  const silent = sumOf(Object.values(campaign.first_outcomes)) - everyone.length;
  const parts = [
    ['fine', of('fine'), 'bg-good-fill'],
    ['wrong', of('wrong'), 'bg-bad-fill'],
    ['opt out', of('opt-out'), 'bg-warn-fill'],
    ['to hear', of(null), null],
  ] as const;
  return (
    <>
      <p className="mb-2 flex justify-between gap-3 text-sm text-quiet">
        <b className="text-base font-semibold text-text">
          {count(everyone.length - of(null))} of {count(everyone.length)} judged
        </b>
        {silent > 0 && `in ${counted(silent, 'other')} nobody spoke`}
      </p>
      <PartsBar parts={parts} legend />
    </>
  );
}

const isPausedForFirst = ({ state, reason }: Campaign) => state === 'paused' && reason === 'first';

const thenText = (campaign: Campaign, calls: number) =>
  isPausedForFirst(campaign)
    ? `When all ${count(calls)} are judged: resume for the other ${count(waitingOf(campaign.balance))}, change the settings first, or cancel. Nobody is called until then.`
    : '';

/** The way on, which is quiet until all are judged. */
function Then({ campaign, everyone }: { campaign: Campaign; everyone: readonly Heard[] }) {
  const [act, setAct] = useState<'start' | 'cancel' | null>(null);
  const may = useMay('operate');
  const left = everyone.filter(({ as }) => as === null).length;
  const waiting = waitingOf(campaign.balance);
  if (!may || !isPausedForFirst(campaign)) return null;
  const close = () => setAct(null);
  return (
    <div className="border-t border-line bg-card px-4 py-3 text-sm text-quiet lg:px-6 xl:sticky xl:bottom-0 xl:-mt-px">
      {left === 0 && (
        <p className="mb-2">
          All {count(everyone.length)} are judged. {counted(waiting, 'person waits', 'people wait')} until you
          resume.
        </p>
      )}
      <div className="flex flex-wrap gap-1.5">
        <Button small kind={left > 0 ? 'plain' : 'main'} onClick={() => setAct('start')}>
          {left > 0 ? 'Resume anyway' : `Resume for ${counted(waiting, 'person', 'people')}`}
        </Button>
        <PageLink to={`/campaigns/${campaign.id}?tab=order`} className={buttonClasses('plain', true)}>
          Settings
        </PageLink>
        <Button small kind="quiet" className="ml-auto" onClick={() => setAct('cancel')}>
          Cancel the campaign
        </Button>
      </div>
      {act === 'start' && (
        <StartCampaign campaign={campaign} onClose={close}>
          {left > 0 && (
            <p className="mt-2">
              {count(left)} of {counted(everyone.length, 'first call')} {left === 1 ? 'is' : 'are'} not
              judged.
            </p>
          )}
        </StartCampaign>
      )}
      {act === 'cancel' && <StopCampaign campaign={campaign} act="cancel" onClose={close} />}
    </div>
  );
}
