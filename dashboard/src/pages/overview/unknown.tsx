import { Badge } from '../../kit/badge.tsx';
import { count } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { PageLink, useHasPage } from '../../shell/page-link.tsx';

/** How many calls nobody can tell about, or the end of which nobody told; they wait for a person. */
const atOnce = 1;

export function UnknownNotice() {
  const unknown = useLive(
    'GET /api/unknown',
    { query: { limit: atOnce, counts: '1' } },
    { everyMs: 20_000, on: ['attempt.unknown'] },
  );
  const hasPage = useHasPage();
  const campaigns = unknown.data?.campaigns ?? [];
  const n = campaigns.reduce((sum, each) => sum + each.unknown, 0);
  const placed = campaigns.reduce((sum, each) => sum + each.placed, 0);
  if (n === 0) return null;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-odd bg-odd-soft px-4 py-2.5">
      <Badge state="unknown" label={`${count(n)} unknown`} />
      <span className="min-w-0 flex-1 basis-64 max-sm:basis-full">
        {wordsOf(n - placed, placed)}. {n === 1 ? 'It waits' : 'They wait'} for a person and will not be
        retried.
      </span>
      {hasPage('/unknown') && <PageLink to="/unknown">Review</PageLink>}
    </div>
  );
}

/** `placed` surely exist, and only their end is missing; `asked` may exist or not. */
function wordsOf(asked: number, placed: number): string {
  const missing = placed === 1 ? 'its end was never reported' : 'their ends were never reported';
  const were = (n: number) => (n === 1 ? 'was' : 'were');
  if (placed === 0)
    return `Could not confirm whether ${asked === 1 ? 'this call was' : 'these calls were'} placed`;
  if (asked === 0) return `${placed === 1 ? 'This call was' : 'These calls were'} placed, but ${missing}`;
  return `Could not confirm whether ${count(asked)} of these calls ${were(asked)} placed; ${count(placed)} ${were(placed)} placed, but ${missing}`;
}
