import { useState } from 'react';
import type { Finding as Found } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Trouble } from '../../kit/empty.tsx';
import { Ago } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';
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
  const checks = found.data?.checks ?? [];
  const ok = checks.filter(({ state }) => state === 'ok');
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
        <Button small onClick={examine} busy={found.isFetching}>
          {found.data ? 'Check again' : 'Run checks'}
        </Button>
      }
    >
      {found.error && <Trouble problem={found.error} />}
      {found.data ? (
        <div aria-live="polite">
          <Findings items={checks.filter(({ state }) => state !== 'ok')} />
          <details open={ok.length === checks.length}>
            <summary className="my-1.5 w-max text-quiet">{counted(ok.length, 'check')} ok</summary>
            <Findings items={ok} />
          </details>
        </div>
      ) : (
        <p className="text-quiet">
          Checked when you ask, as each key sends one request. Nobody is called. In a terminal:{' '}
          <code>carillon doctor</code>.
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

/** Checks, each with what came of it and what to do. */
export function Findings({
  items,
}: {
  items: readonly Pick<Found, 'what' | 'detail' | 'state' | 'remedy'>[];
}) {
  return (
    <ul className="divide-y divide-line">
      {items.map(({ state, what, detail, remedy }) => (
        <li
          key={`${what} ${detail}`}
          className="flex flex-wrap items-baseline justify-between gap-x-4 py-1.5"
        >
          <span className="font-medium">{what}</span>
          <Badge state={looks[state][0]} label={looks[state][1]} />
          <span className="w-full text-sm text-quiet [overflow-wrap:anywhere]">
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
  );
}
