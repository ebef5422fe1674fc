import { useState } from 'react';
import type { Finding as Found } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Trouble } from '../../kit/empty.tsx';
import { Ago } from '../../kit/time.tsx';
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
      title="Keys, settings and webhooks"
      note={
        found.dataUpdatedAt > 0 && (
          <>
            checked <Ago at={found.dataUpdatedAt} />
          </>
        )
      }
      acts={
        <Button onClick={examine} busy={found.isFetching}>
          {found.data ? 'Check again' : 'Run checks'}
        </Button>
      }
    >
      {found.error && <Trouble problem={found.error} />}
      {found.data ? (
        <ul aria-live="polite" className="divide-y divide-line">
          {found.data.checks.map((each) => (
            <Finding key={`${each.what} ${each.detail}`} {...each} />
          ))}
        </ul>
      ) : (
        <p className="text-quiet">
          Not checked yet. It checks servers, settings, keys, rules and webhooks, as{' '}
          <code>carillon doctor</code> does: each key sends one request, and nobody is called.
        </p>
      )}
    </Section>
  );
}

const looks = {
  ok: ['open', 'ok'],
  warn: ['warning', 'watch'],
  fail: ['critical', 'fault'],
} as const;

/** One check and its result: null where nobody knows it. */
type FindingProps = Pick<Found, 'what' | 'detail'> & {
  state: Found['state'] | null;
  remedy?: string | null | undefined;
};

export function Finding({ state, what, detail, remedy }: FindingProps) {
  const [look, word] = state ? looks[state] : ['draft', 'not known'];
  return (
    <li className="grid grid-cols-[8rem_minmax(0,1fr)] items-baseline gap-x-4 py-1.5 first:pt-0 last:pb-0 sm:grid-cols-[10rem_6rem_minmax(0,1fr)]">
      <span className="font-medium">{what}</span>
      <span>
        <Badge state={look} label={word} />
      </span>
      <span className="text-quiet [overflow-wrap:anywhere] max-sm:col-span-2">
        {detail}
        {remedy && <span className="block text-sm text-text">What to do: {remedy}</span>}
      </span>
    </li>
  );
}
