import type { FoundPerson } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { OutcomeMark, stateText } from '../../kit/badge.tsx';
import { Phone } from '../../kit/phone.tsx';
import { Ago, clockText } from '../../kit/time.tsx';
import { personAddress } from '../../shell/find.ts';
import { useMay } from '../../shell/me.ts';
import { MoreLink, PageLink } from '../../shell/page-link.tsx';

const most = 5;
// Some of those who wait were not called lately: more are read than are shown.
const query = { state: 'done,waiting,unknown', limit: 2 * most };
const endOf = ({ ended_at: at }: FoundPerson) => at ?? '';

/** The calls that ended last, in a line: what becomes of calls is seen while they are made. */
export function JustEnded() {
  const enabled = useMay('read_people');
  const found = useLive('GET /api/calls', { query }, { everyMs: 15_000, enabled }).data;
  const ended = found?.items.filter(endOf).toSorted((a, b) => endOf(b).localeCompare(endOf(a)));
  // The list below does not move when it comes.
  if (!ended) return enabled && <div className="h-5 max-sm:hidden" />;
  return (
    ended.length > 0 && (
      <section
        aria-label="Just ended"
        className="flex h-5 items-center gap-x-5 text-sm text-quiet max-sm:hidden"
      >
        <span className="shrink-0">Just ended</span>
        <ol className="flex min-w-0 flex-1 flex-wrap gap-x-6 overflow-hidden h-5">
          {ended.slice(0, most).map((row) => (
            <li key={row.id} className="inline-flex items-center gap-1.5 whitespace-nowrap">
              <OutcomeMark state={row.outcome ?? row.state} />
              <PageLink to={personAddress(row)} className="font-medium text-text hover:underline">
                {row.name ?? <Phone phone={row.phone} />}
              </PageLink>
              {row.duration ? clockText(row.duration) : stateText(row.outcome ?? row.state)}
              {row.error && `: ${row.error}`}, <Ago at={endOf(row)} />
            </li>
          ))}
        </ol>
        <MoreLink to="/people">All who were called</MoreLink>
      </section>
    )
  );
}
