import type { ReactNode } from 'react';
import type { FoundPerson } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Read } from '../../kit/empty.tsx';
import { SelectFilter } from '../../kit/filter.tsx';
import { useSearch } from '../../kit/router.tsx';
import { useCampaignChoices } from '../../shell/campaign-choices.ts';
import { beat, Listening, useGo, useHeard } from './listening.tsx';

/** The calls that were answered last, of one campaign or of all. */
export function LatestCalls({ none, children }: { none: ReactNode; children: ReactNode }) {
  const { latest = 'all' } = useSearch('/listen');
  const go = useGo();
  const campaign = latest === 'all' ? undefined : latest;
  const query = { state: 'done', outcome: 'answered', campaign, order: 'moved', limit: 60 } as const;
  const found = useLive('GET /api/calls', { query }, { ...beat, keep: true });
  const campaigns = useCampaignChoices();
  const rows = useHeard(found.data?.items.flatMap(callOf));
  if (found.data && rows.length === 0 && !campaign) return none;
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
            onChange={(name) => go({ latest: name ?? 'all', call: undefined })}
          />
          <p className="my-2 text-sm text-quiet">
            {rows.length > 0 ? 'Answered calls, the latest first.' : `${campaign} has no answered call yet.`}
          </p>
        </Listening>
      )}
    </Read>
  );
}

/** The last call to a person, who answered it. */
function callOf({ id, attempts, ...person }: FoundPerson) {
  const last = attempts.findLast(({ outcome }) => outcome === 'answered');
  if (!last) return [];
  const has = { has_transcript: true, has_recording: true, judgement: null };
  return [{ ...person, ...has, recipient: id, attempt: last.id, ended_at: last.ended_at ?? '' }];
}
