import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Trouble } from '../../kit/empty.tsx';
import { useMay } from '../../shell/me.ts';

/** The findings of `carillon doctor`, asked for by hand: it sends a request with each key. */
export function Examination() {
  const mayAsk = useMay('operate');
  const found = useAsk('GET /api/doctor', {}, { enabled: false });
  if (!mayAsk) return null;
  const checks = [...(found.data?.checks ?? [])].sort((a, b) => rank[b.state] - rank[a.state]);
  return (
    <Section
      id="examination"
      title="Keys, settings and webhooks"
      note={!found.data && 'one request with each key; nobody is called'}
      acts={
        <Button small onClick={() => void found.refetch()} busy={found.isFetching}>
          {found.data ? 'Check again' : 'Run checks'}
        </Button>
      }
      bare
    >
      {found.error && <Trouble problem={found.error} />}
      <ul aria-live="polite" className="divide-y divide-line border-t border-line">
        {checks.map(({ state, what, detail, remedy }) => (
          <li key={`${what} ${detail}`} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 py-1.5">
            <span className="font-medium">{what}</span>
            <Badge {...looks[state]} />
            <span className="col-span-2 text-sm text-quiet [overflow-wrap:anywhere]">
              {detail}
              {remedy && (
                <span className="block text-text">
                  What to do: <Commands text={remedy} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const rank = { ok: 0, warn: 1, fail: 2 };
const looks = {
  ok: { state: 'open', label: 'ok' },
  warn: { state: 'warning', label: 'watch' },
  fail: { state: 'critical', label: 'fault' },
} as const;
