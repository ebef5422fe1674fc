import { type ReactNode, useState } from 'react';
import type { Campaign, FirstCall } from '../../api/description.ts';
import { waitingOf } from '../../campaigns/pace.ts';
import { StartCampaign, StopCampaign } from '../../campaigns/start-stop.tsx';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button, buttonClasses } from '../../kit/button.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { TextFilter } from '../../kit/filter.tsx';
import { Phone } from '../../kit/phone.tsx';
import { navigate, useSearch } from '../../kit/router.tsx';
import { Split } from '../../kit/side-panel.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { clockText } from '../../kit/time.tsx';
import { classes, count, counted, sumOf } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Call, type Heard, type Judged, useJudging } from './call.tsx';

/** The first people's calls in a list, and the one that is heard beside it. */
export function FirstCalls({ campaign, children }: { campaign: Campaign; children: ReactNode }) {
  const { call: wanted, said } = useSearch('/listen');
  const place = (query: { said?: string }) => ({
    params: { id: campaign.id },
    query: { ...query, limit: 1_000 },
  });
  const beat = { everyMs: 15_000, on: ['attempt.'] };
  const all = useLive('GET /api/campaigns/{id}/first', place({}), beat);
  const found = useLive('GET /api/campaigns/{id}/first', place({ said: said ?? '' }), {
    ...beat,
    enabled: said !== undefined,
  });
  const judging = useJudging();
  // A person tells more than a voicemail: those who answered come first.
  const heard = (calls: readonly FirstCall[] = []): Heard[] =>
    calls
      .map((each) => ({ ...each, as: judging.get(each.attempt) ?? each.judgement?.as ?? null }))
      .sort((a, b) => Number(b.outcome === 'answered') - Number(a.outcome === 'answered'));
  const everyone = heard(all.data?.items);
  const rows = said === undefined ? everyone : heard(found.data?.items);
  const shown =
    rows.find(({ attempt }) => attempt === wanted) ?? rows.find(({ as }) => as === null) ?? rows[0];
  const go = (call: string | undefined, words = said) =>
    void navigate({
      to: '/listen',
      search: { campaign: campaign.id, ...(call ? { call } : {}), ...(words ? { said: words } : {}) },
      replace: true,
      resetScroll: false,
    });
  /** The next call that nobody has judged yet; after the last one it begins again at the top. */
  const next = () => {
    const at = rows.findIndex(({ attempt }) => attempt === shown?.attempt);
    const after = [...rows.slice(at + 1), ...rows.slice(0, at)].find(({ as }) => as === null);
    go(after?.attempt ?? rows[at + 1]?.attempt ?? shown?.attempt);
  };
  if (all.data && everyone.length === 0)
    return (
      <Empty title="Nothing was said to its first people">
        A call stands here when it has ended and somebody spoke: a person, or a voicemail.
      </Empty>
    );
  return (
    <Read of={all} lines={8}>
      {() => (
        <Split
          list={
            <>
              <div className="px-4 lg:px-6">
                {children}
                <Standing everyone={everyone} current={shown?.attempt} campaign={campaign} />
                <div className="my-3 [&>div]:w-full">
                  <TextFilter
                    label="Words that were said"
                    placeholder="Search in what was said"
                    value={said}
                    onChange={(words = '') => go(undefined, words)}
                  />
                </div>
                {found.data && rows.length === 0 && (
                  <p className="text-sm text-quiet">In none of these calls “{said}” was said.</p>
                )}
              </div>
              {rows.length > 0 && (
                <DataTable
                  label="Calls to the first people"
                  rows={rows}
                  columns={columns}
                  keyOf={({ attempt }) => attempt}
                  onOpen={({ attempt }) => go(attempt)}
                  onMove={({ attempt }) => go(attempt)}
                  current={shown?.attempt}
                />
              )}
              <Then campaign={campaign} everyone={everyone} />
            </>
          }
        >
          {shown && (
            <Call
              key={shown.attempt}
              call={shown}
              nth={everyone.findIndex(({ attempt }) => attempt === shown.attempt) + 1}
              of={everyone.length}
              said={said}
              then={thenText(campaign, everyone.length)}
              onNext={next}
            />
          )}
        </Split>
      )}
    </Read>
  );
}

const verdicts: readonly [as: Judged, words: string, fill: string][] = [
  ['fine', 'fine', 'bg-good-fill'],
  ['wrong', 'wrong', 'bg-bad-fill'],
  ['opt-out', 'opt out', 'bg-warn-fill'],
];

/** How many are judged, and how. */
type StandingProps = { everyone: readonly Heard[]; current: string | undefined; campaign: Campaign };

function Standing({ everyone, current, campaign }: StandingProps) {
  const of = (wanted: Judged | null) => everyone.filter(({ as }) => as === wanted).length;
  const left = of(null);
  const silent = sumOf(Object.values(campaign.first_outcomes)) - everyone.length;
  return (
    <>
      <p className="flex justify-between gap-3 text-sm text-quiet">
        <b className="text-base font-semibold text-text">
          {count(everyone.length - left)} of {count(everyone.length)} judged
        </b>
        {silent > 0 && `in ${counted(silent, 'other')} nobody spoke`}
      </p>
      <div
        aria-hidden="true"
        className={classes('mt-2 grid auto-cols-fr grid-flow-col', everyone.length <= 60 && 'gap-[3px]')}
      >
        {everyone.map(({ attempt, as }) => (
          <i
            key={attempt}
            className={classes(
              'h-2 rounded-[2px]',
              verdicts.find(([each]) => each === as)?.[2] ?? 'bg-track',
              attempt === current && 'outline-2 outline-offset-1 outline-live-fill',
            )}
          />
        ))}
      </div>
      <p className="mt-1.5 flex flex-wrap gap-x-4 text-sm text-quiet">
        {verdicts.map(([as, words, fill]) => (
          <span key={as} className="flex items-center gap-1.5">
            <i aria-hidden="true" className={classes('size-2 rounded-[2px]', fill)} />
            <b className="font-medium text-text">{count(of(as))}</b> {words}
          </span>
        ))}
      </p>
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

const columns: Column<Heard>[] = [
  left(
    'person',
    'Person',
    ({ name, phone }) => (
      <span className="font-medium" title={name ?? undefined}>
        {name ?? <Phone phone={phone} />}
      </span>
    ),
    { px: 128 },
  ),
  left('outcome', 'Outcome', ({ outcome }) => outcome && <Badge state={outcome} tone="quiet" />, { px: 104 }),
  left(
    'length',
    'Length',
    ({ duration }) => <span className="text-quiet">{duration === null ? '–' : clockText(duration)}</span>,
    { number: true, px: 64 },
  ),
  left('judged', 'Judged', ({ as }) => as && <Badge state={as} />, { px: 104 }),
];
