import type { Activity, Campaign } from '../../api/description.ts';
import { usePages } from '../../api/pages.ts';
import { Empty } from '../../kit/empty.tsx';
import { Listing } from '../../kit/listing.tsx';
import { Time } from '../../kit/time.tsx';

/** The record of who did what to this campaign, the newest first. */
export function ActivityTab({ campaign: { id } }: { campaign: Campaign }) {
  const list = usePages('GET /api/activity', { query: { campaign: id } }, { on: ['campaign.', 'bulk.'] });
  return (
    <Listing
      list={list}
      one="act"
      empty={
        <Empty title="Nothing was done yet">
          Acts on it by a person, a program or Carillon itself are shown here.
        </Empty>
      }
    >
      {(rows) => (
        <ol className="divide-y divide-line border-y border-line">
          {rows.map((act) => (
            <Entry key={act.id} act={act} />
          ))}
        </ol>
      )}
    </Listing>
  );
}

function Entry({ act: { at, who, address, verb, before, after } }: { act: Activity }) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-2.5 sm:grid-cols-[8rem_minmax(0,12rem)_minmax(0,1fr)]">
      <Time at={at} />
      <span className="min-w-0">
        <span className="block truncate font-medium">{who}</span>
        {address && <span className="block truncate text-xs text-quiet">{address}</span>}
      </span>
      <div className="min-w-0">
        <p>{verb}</p>
        <ul className="text-sm text-quiet">
          {fields.map((field) => (
            <li key={field} className="[overflow-wrap:anywhere]">
              {field}: {before && field in before && <>{wordOf(before[field])} → </>}
              {after && field in after ? wordOf(after[field]) : 'none'}
            </li>
          ))}
        </ul>
      </div>
    </li>
  );
}

function wordOf(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
