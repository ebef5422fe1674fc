import type { Campaign } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { Empty } from '../../kit/empty.tsx';
import { Listing } from '../../kit/listing.tsx';
import { Entries, Lately } from '../activity/entry.tsx';

/** The record of who did what to this campaign, the newest first, and of what befell all campaigns while it lasted. */
export function ActivityTab({ campaign: { id, created_at, state, since } }: { campaign: Campaign }) {
  const during = { since: created_at, until: /done|canceled/.test(state) ? since : undefined };
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
      {(rows) => (
        <>
          <Entries rows={rows} />
          <Lately title="Meanwhile, for all campaigns" verb="alert,key,number,policy" during={during} />
        </>
      )}
    </Listing>
  );
}
