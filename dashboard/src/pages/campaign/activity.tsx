import type { Campaign } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { Empty } from '../../kit/empty.tsx';
import { Listing } from '../../kit/listing.tsx';
import { Entries } from '../activity/entry.tsx';

/** The record of who did what to this campaign, the newest first. */
export function ActivityTab({ campaign: { id } }: { campaign: Campaign }) {
  const list = usePages('GET /api/activity', { query: { campaign: id } }, { everyMs: 5_000 });
  return (
    <Listing
      list={list}
      empty={
        <Empty title="Nothing was done yet">
          Acts on it by a person, a program or Carillon itself are shown here.
        </Empty>
      }
    >
      {(rows) => <Entries rows={rows} />}
    </Listing>
  );
}
