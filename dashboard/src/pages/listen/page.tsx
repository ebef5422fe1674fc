import { type ReactNode, useState } from 'react';
import type { Campaign, FirstCall, FoundPerson } from '../../api/ask.ts';
import { StartCampaign, StopCampaign } from '../../campaigns/start-stop.tsx';
import { calledWords, waitingOf } from '../../campaigns/state.tsx';
import { useLive } from '../../data/queries.ts';
import { PartsBar } from '../../kit/bars.tsx';
import { Button, buttonClasses, Command } from '../../kit/basics.tsx';
import { Choose, SelectFilter, TextFilter } from '../../kit/filter.tsx';
import { Empty, Page, Read, Trouble } from '../../kit/page.tsx';
import { Link, NameLink, navigate, useSearch } from '../../kit/router.tsx';
import { count, counted, sumOf } from '../../kit/words.ts';
import { toJudge } from '../../shell/need.ts';
import { useActiveCampaigns, useCampaignChoices, useMay } from '../../shell/reads.ts';
import { beat, type Heard, type Judged, Listening, useHeard, useListening } from './call.tsx';

/** A person tells more than a voicemail: those who answered come first. */
const answeredFirst = (a: FirstCall, b: FirstCall) =>
  Number(b.outcome === 'answered') - Number(a.outcome === 'answered');

function FirstCalls({ campaign, children }: { campaign: Campaign; children: ReactNode }) {
  const { search, set } = useListening();
  const { said } = search;
  const place = (query: { said?: string }) => ({ id: campaign.id, ...query, limit: 1_000 });
  const all = useLive('GET /api/campaigns/{id}/first', place({}), beat);
  const found = useLive('GET /api/campaigns/{id}/first', place({ said: said ?? '' }), {
    ...beat,
    enabled: said !== undefined,
  });
  const everyone = useHeard(all.data?.items).sort(answeredFirst);
  const matching = useHeard(found.data?.items).sort(answeredFirst);
  const judgedAs = (wanted: Judged | null) => everyone.filter(({ as }) => as === wanted).length;
  const silent = sumOf(Object.values(campaign.first_outcomes)) - everyone.length;
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
          then={
            isPausedForFirst(campaign)
              ? `When all ${count(everyone.length)} are judged: resume for the ${count(waitingOf(campaign.balance))} who wait, change the settings first, or cancel. Nobody is called until then.`
              : ''
          }
          foot={<Then campaign={campaign} everyone={everyone} />}
        >
          {children}
          <p className="mb-2 flex justify-between gap-3 text-sm text-quiet">
            <b className="text-base font-semibold text-text">
              {count(everyone.length - judgedAs(null))} of {count(everyone.length)} judged
            </b>
            {silent > 0 && `in ${counted(silent, 'other')} nobody spoke`}
          </p>
          <PartsBar
            parts={[
              ['fine', judgedAs('fine'), 'bg-good-fill'],
              ['wrong', judgedAs('wrong'), 'bg-bad-fill'],
              ['opt out', judgedAs('opt-out'), 'bg-warn-fill'],
              ['to hear', judgedAs(null), null],
            ]}
            legend
          />
          <div className="my-3 [&>div]:w-full">
            <TextFilter
              label="Words that were said"
              placeholder="Search in what was said"
              value={said}
              onChange={(words) => set({ said: words, call: undefined })}
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

const isPausedForFirst = ({ state, reason }: Campaign) => state === 'paused' && reason === 'first';

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
        <Button acts small kind={left > 0 ? 'plain' : 'main'} onClick={() => setAct('start')}>
          Resume {left > 0 && 'anyway '}for {counted(waiting, 'person', 'people')}
        </Button>
        <Link to={`/campaigns/${campaign.id}?tab=order`} className={buttonClasses('plain', true)}>
          Settings
        </Link>
        <Button acts small kind="quiet" className="ml-auto" onClick={() => setAct('cancel')}>
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

function LatestCalls({ children }: { children: ReactNode }) {
  const { search, set } = useListening();
  const { latest = 'all' } = search;
  const campaign = latest === 'all' ? undefined : latest;
  const query = { state: 'done', outcome: 'answered', campaign, order: 'moved', limit: 60 } as const;
  const found = useLive('GET /api/calls', query, { ...beat, keep: true });
  const campaigns = useCampaignChoices();
  const rows = useHeard(found.data?.items.flatMap(callOf));
  if (found.data && rows.length === 0 && !campaign)
    return (
      <Empty title="No call was answered yet">
        <p>
          Answered calls stand here, the latest first. A campaign that begins with a few people pauses after
          them, until you have heard theirs. New campaign proposes it; in a terminal:
        </p>
        <Command>carillon run people.csv --agent AGENT_ID --first 20</Command>
      </Empty>
    );
  return (
    <Read of={found} lines={8}>
      {() => (
        <Listening label="The latest answered calls" rows={rows}>
          {children}
          <SelectFilter
            label="Campaign"
            all="Every campaign"
            value={campaign}
            choices={campaigns}
            onChange={(name) => set({ latest: name ?? 'all', call: undefined })}
          />
          <p className="my-2 text-sm text-quiet">
            {rows.length > 0 ? 'Answered calls, the latest first.' : `${campaign} has no answered call yet.`}
          </p>
        </Listening>
      )}
    </Read>
  );
}

function callOf({ id, attempts, ...person }: FoundPerson) {
  const last = attempts.findLast(({ outcome }) => outcome === 'answered');
  if (!last) return [];
  const has = { has_transcript: true, has_recording: true, judgement: null };
  return [{ ...person, ...has, recipient: id, attempt: last.id, ended_at: last.ended_at ?? '' }];
}

/** The calls that a campaign paused for, judged before it calls everyone else; and at any time those that were answered last. */
export function ListenPage() {
  const { campaign: wanted, latest } = useSearch('/listen');
  const sees = useMay('read_people');
  const active = useActiveCampaigns(15_000);
  const waiting = (active.data?.items ?? []).filter((each) => toJudge(each) > 0);
  const chosen = wanted ?? (latest === undefined ? waiting[0]?.id : undefined);
  const campaign = useLive(
    'GET /api/campaigns/{id}',
    { id: chosen ?? '' },
    { everyMs: 15_000, on: ['campaign.'], enabled: chosen !== undefined },
  );
  if (!sees)
    return (
      <Page title="Listen back">
        <Empty title="This token may not hear people">
          An admin can make one with the role “read people”.
        </Empty>
      </Page>
    );
  const chips = (waiting.length > 0 || wanted) && (
    <Choose
      label="Which calls"
      of={[
        ...waiting.map((each) => [each.id, each.name, toJudge(each)] as const),
        [undefined, 'Latest answered'] as const,
      ]}
      value={waiting.find(({ name }) => name === chosen)?.id ?? chosen}
      onChange={(id) => void navigate({ to: '/listen', search: id ? { campaign: id } : { latest: 'all' } })}
    />
  );
  return (
    <Page
      title="Listen back"
      note={
        campaign.data && (
          <>
            <NameLink of="campaigns" id={campaign.data.id} name={campaign.data.name} />
            {campaign.data.first !== null && `: ${calledWords(campaign.data)}`}
          </>
        )
      }
    >
      <Read of={active} lines={6} />
      {campaign.error && <Trouble problem={campaign.error} retry={() => void campaign.refetch()} />}
      {active.data && chosen === undefined && <LatestCalls>{chips}</LatestCalls>}
      {campaign.data && (
        <FirstCalls key={campaign.data.id} campaign={campaign.data}>
          {chips}
        </FirstCalls>
      )}
    </Page>
  );
}
