import { useState } from 'react';
import { useAsk } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Trouble } from '../../kit/empty.tsx';
import { Findings } from '../../kit/findings.tsx';
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
