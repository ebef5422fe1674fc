import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Campaign, FirstCall } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Empty, Loading, Trouble } from '../../kit/empty.tsx';
import { TextFilter } from '../../kit/filter.tsx';
import { Phone } from '../../kit/phone.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { clockText } from '../../kit/time.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { Call } from './call.tsx';
import { type Heard, type Judged, useJudging } from './judging.ts';
import { Then } from './then.tsx';

const route = getRouteApi('/listen');

/** The first people's calls in a list, and the one that is heard beside it. */
export function FirstCalls({ campaign }: { campaign: Campaign }) {
  const { call: wanted, said } = route.useSearch();
  const navigate = useNavigate();
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
  const may = useMay('operate');
  const places = new Map(all.data?.items.map(({ attempt }, at) => [attempt, at + 1]));
  const heardOf = (each: FirstCall): Numbered => ({
    ...each,
    nth: places.get(each.attempt) ?? 0,
    as: judging.get(each.attempt) ?? each.judgement?.as ?? null,
  });
  const everyone = (all.data?.items ?? []).map(heardOf);
  const rows = said === undefined ? everyone : (found.data?.items ?? []).map(heardOf);
  const left = everyone.filter(({ as }) => as === null);
  const opened = rows.find(({ attempt }) => attempt === wanted);
  const shown = opened ?? rows.find(({ as }) => as === null) ?? rows[0];
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
  if (all.error && !all.data) return <Trouble problem={all.error} retry={() => void all.refetch()} />;
  if (!all.data) return <Loading lines={8} />;
  if (everyone.length === 0)
    return (
      <Empty title="Nothing was said to its first people">
        A call stands here when it has ended and somebody spoke: a person, or a voicemail.
      </Empty>
    );
  return (
    <div className="grid items-start gap-6 [overflow-anchor:none] xl:grid-cols-[25rem_minmax(0,1fr)]">
      <div className="min-w-0">
        <Standing everyone={everyone} current={shown?.attempt} silent={silentOf(campaign, everyone.length)} />
        <div className="my-3 [&>div]:w-full">
          <TextFilter
            wide
            label="Words that were said"
            placeholder="Search in what was said"
            value={said}
            onChange={(words = '') => go(undefined, words)}
          />
        </div>
        {said !== undefined && found.data && rows.length === 0 && (
          <p className="text-sm text-quiet">In none of these calls “{said}” was said.</p>
        )}
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
        {may && campaign.state === 'paused' && campaign.reason === 'first' && (
          <Then left={left.length} of={everyone.length} campaign={campaign} />
        )}
      </div>
      {shown && (
        <Call
          key={shown.attempt}
          call={shown}
          nth={shown.nth}
          of={everyone.length}
          said={said}
          onNext={next}
        />
      )}
    </div>
  );
}

const fills: Record<Judged, string> = {
  fine: 'bg-good-fill',
  wrong: 'bg-bad-fill',
  'opt-out': 'bg-warn-fill',
};

/** How many of the first people's calls are over without a word. */
const silentOf = ({ first_outcomes: ended }: Campaign, heard: number) =>
  Object.values(ended).reduce((sum, n) => sum + n, 0) - heard;

type StandingProps = { everyone: readonly Heard[]; current: string | undefined; silent: number };

function Standing({ everyone, current, silent }: StandingProps) {
  const judged = everyone.filter(({ as }) => as !== null).length;
  const of = (wanted: Judged) => everyone.filter(({ as }) => as === wanted).length;
  return (
    <div>
      <p className="font-semibold">
        {count(judged)} of {count(everyone.length)} judged
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
              as ? fills[as] : 'bg-track',
              attempt === current && 'outline-2 outline-offset-1 outline-live-fill',
            )}
          />
        ))}
      </div>
      <p className="mt-1.5 flex flex-wrap gap-x-4 text-sm text-quiet">
        {judged === 0 && 'Hear each, and say whether it is as it should be.'}
        {silent > 0 && ` In ${counted(silent, 'other call')} nobody spoke.`}
        {(['fine', 'wrong', 'opt-out'] as const)
          .filter((as) => of(as) > 0)
          .map((as) => (
            <span key={as} className="flex items-center gap-1.5">
              <i aria-hidden="true" className={classes('size-2 rounded-[2px]', fills[as])} />
              {as === 'opt-out' ? counted(of(as), 'opt-out') : `${count(of(as))} ${as}`}
            </span>
          ))}
      </p>
    </div>
  );
}

/** With its place among all of them. */
type Numbered = Heard & { nth: number };

const columns: Column<Numbered>[] = [
  {
    id: 'nth',
    head: '#',
    number: true,
    cell: ({ nth }) => <span className="text-quiet">{count(nth)}</span>,
  },
  {
    id: 'person',
    head: 'Person',
    main: true,
    cell: ({ name, phone }) => (
      <span className="block max-w-44 truncate font-medium">{name ?? <Phone phone={phone} />}</span>
    ),
  },
  {
    id: 'outcome',
    head: 'Outcome',
    cell: ({ outcome }) => outcome && <Badge state={outcome} tone="quiet" />,
  },
  {
    id: 'length',
    head: 'Length',
    cell: ({ as, duration }) => (
      <span className="text-quiet">
        {as && <Badge state={as} />} {duration === null ? '–' : clockText(duration)}
      </span>
    ),
    number: true,
  },
];
