import { useState } from 'react';
import type { Finding } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Trouble } from '../../kit/empty.tsx';
import { useMay } from '../../shell/me.ts';

/** The findings of `carillon doctor`, asked for by hand: it sends a request with each key. */
export function Examination() {
  const mayAsk = useMay('operate');
  const [asked, setAsked] = useState(false);
  const found = useAsk('GET /api/doctor', {}, { enabled: asked });
  if (!mayAsk) return null;
  const examine = () => {
    if (asked) void found.refetch();
    setAsked(true);
  };
  return (
    <Section
      id="examination"
      title="Checks"
      acts={
        <Button onClick={examine} busy={found.isFetching}>
          Run checks
        </Button>
      }
    >
      {found.error && <Trouble problem={found.error} />}
      {found.data ? (
        <ul aria-live="polite" className="divide-y divide-line">
          {found.data.checks.map((each) => (
            <FoundLine key={`${each.what} ${each.detail}`} of={each} />
          ))}
        </ul>
      ) : (
        <p className="text-quiet">
          Checks the servers, settings, keys, rules and webhooks, as <code>carillon doctor</code> does. Each
          key sends one request; nobody is called.
        </p>
      )}
    </Section>
  );
}

const marks: Record<Finding['state'], string> = { ok: 'open', warn: 'warning', fail: 'critical' };

function FoundLine({ of: { state, what, detail, remedy } }: { of: Finding }) {
  return (
    <li className="grid grid-cols-[8rem_minmax(0,1fr)] items-baseline gap-x-4 py-1.5 first:pt-0 last:pb-0 sm:grid-cols-[10rem_6rem_minmax(0,1fr)]">
      <span className="text-quiet">{what}</span>
      <span>
        <Badge state={marks[state]} label={state} />
      </span>
      <span className="break-words max-sm:col-span-2">
        {detail}
        {remedy && <span className="block text-sm text-quiet">What to do: {remedy}</span>}
      </span>
    </li>
  );
}
