import type { Campaign } from '../../api/ask.ts';
import { useAsk, usePages } from '../../data/queries.ts';
import { Empty } from '../../kit/page.tsx';
import { MoreLink } from '../../kit/router.tsx';
import { Listing } from '../../kit/table/data-table.tsx';
import { count, counted, groupsOf, sumOf } from '../../kit/words.ts';
import { useMay } from '../../shell/reads.ts';
import { Entries } from '../activity/page.tsx';

/** Who did what to this campaign, and among it what befell all campaigns while it lasted, the newest first. */
export function ActivityTab({ campaign: { id, created_at, state, since } }: { campaign: Campaign }) {
  const during = { since: created_at, until: /done|canceled/.test(state) ? since : undefined };
  const list = usePages('GET /api/activity', { campaign: id }, { everyMs: 5_000 });
  const around = useAsk(
    'GET /api/activity',
    { verb: 'alert.raise,alert.clear,key,number,policy', limit: 200, ...during },
    { enabled: useMay('operate'), everyMs: 15_000 },
  ).data?.items.filter(({ campaign_id: of }) => !of);
  const tallies = useTallies(id, created_at);
  return (
    <Listing
      list={list}
      empty={
        <Empty title="Nothing was done yet">
          Acts on it by a person, a program or Carillon itself are shown here.
        </Empty>
      }
    >
      {(rows) => {
        // What is older than the rows that were read comes with the rows before them.
        const from = list.hasMore ? Date.parse(rows.at(-1)!.at) : 0;
        const told = [...rows, ...(around ?? [])].filter(({ at }) => Date.parse(at) >= from);
        return (
          <>
            <div className="flex justify-between gap-x-4 text-sm text-quiet">
              With what happened to all campaigns meanwhile, such as a closed key.
              <MoreLink to="/activity">All activity</MoreLink>
            </div>
            <Entries
              rows={told.sort((a, b) => Number(b.id) - Number(a.id))}
              tallies={new Map([...tallies].filter(([day]) => Date.parse(day) + dayMs > from))}
            />
          </>
        );
      }}
    </Listing>
  );
}

const dayMs = 86_400_000;

function useTallies(id: string, since: string): ReadonlyMap<string, string> {
  const place = { id, since };
  const series = useAsk('GET /api/campaigns/{id}/series', place, { everyMs: 30_000 }).data;
  const called = series?.items.filter(({ calls }) => calls > 0) ?? [];
  // By the middle of its step, as days are those of UTC.
  const days = groupsOf(called, ({ at }) =>
    new Date(Date.parse(at) + series!.step_seconds * 500).toDateString(),
  );
  return new Map(
    [...days].map(([day, points]) => {
      const calls = sumOf(points.map((point) => point.calls));
      const answered = sumOf(points.map(({ outcomes }) => outcomes.answered ?? 0));
      return [day, `${counted(calls, 'call')}, ${count(answered)} answered`];
    }),
  );
}
