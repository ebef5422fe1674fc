import { Badge } from '../../kit/badge.tsx';
import { count } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { PageLink, useHasPage } from '../../shell/page-link.tsx';

/** How many calls nobody can tell about; they wait for a person. */
const atOnce = 1;

export function UnknownNotice() {
  const unknown = useLive(
    'GET /api/unknown',
    { query: { limit: atOnce, counts: '1' } },
    { everyMs: 20_000, on: ['attempt.unknown'] },
  );
  const hasPage = useHasPage();
  const n = (unknown.data?.campaigns ?? []).reduce((sum, each) => sum + each.unknown, 0);
  if (n === 0) return null;
  const one = n === 1;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-odd bg-odd-soft px-4 py-2.5">
      <Badge state="unknown" label={`${count(n)} unknown`} />
      <span className="min-w-0 flex-1 basis-64 max-sm:basis-full">
        Could not confirm whether{' '}
        {one ? 'this call was placed. It waits' : 'these calls were placed. They wait'} for a person and will
        not be retried.
      </span>
      {hasPage('/unknown') && <PageLink to="/unknown">Review</PageLink>}
    </div>
  );
}
