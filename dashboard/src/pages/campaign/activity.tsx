import type { Activity, Campaign } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { useAsk } from '../../data/queries.ts';
import { Empty } from '../../kit/empty.tsx';
import { Listing } from '../../kit/listing.tsx';
import { useMay } from '../../shell/me.ts';
import { MoreLink } from '../../shell/page-link.tsx';
import { Entries } from '../activity/entry.tsx';

/** Who did what to this campaign, and among it what befell all campaigns while it lasted, the newest first. */
export function ActivityTab({ campaign: { id, created_at, state, since } }: { campaign: Campaign }) {
  const during = { since: created_at, until: /done|canceled/.test(state) ? since : undefined };
  const list = usePages('GET /api/activity', { query: { campaign: id } }, { everyMs: 5_000 });
  const around = useAsk(
    'GET /api/activity',
    { query: { verb: 'alert.raise,alert.clear,key,number,policy', limit: 200, ...during } },
    { enabled: useMay('operate'), everyMs: 15_000 },
  ).data?.items.filter(({ campaign_id: of }) => !of);
  return (
    <Listing
      list={list}
      empty={
        <Empty title="Nothing was done yet">
          Acts on it by a person, a program or Carillon itself are shown here.
        </Empty>
      }
    >
      {(rows) => (
        <>
          <div className="flex justify-between gap-x-4 text-sm text-quiet">
            What befell all campaigns meanwhile, such as a closed key, stands among it.
            <MoreLink to="/activity">All activity</MoreLink>
          </div>
          <Entries
            rows={[...rows, ...(around ?? [])].filter(isAfter(list.hasMore, rows)).sort(newestFirst)}
          />
        </>
      )}
    </Listing>
  );
}

const newestFirst = (a: Activity, b: Activity) => Number(b.id) - Number(a.id);

/** What is older than the rows that were read comes with the rows before them. */
const isAfter = (hasMore: boolean, rows: readonly Activity[]) => (entry: Activity) =>
  !hasMore || entry.at >= rows.at(-1)!.at;
