import { Link } from '@tanstack/react-router';
import { useLive } from '../../data/use-live.ts';
import { Section } from '../../kit/card.tsx';
import { Notice } from '../../kit/notice.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { Ending } from '../campaign/overview/forecast.tsx';
import { CheckedList, CheckProblem, CheckProgress } from './check-state.tsx';
import type { Draft } from './draft.ts';
import { type Lack, lacking } from './lacks.ts';
import { useListCheck } from './list-check.ts';
import { StartActs } from './start-acts.tsx';
import { Summary } from './summary.tsx';
import { TestCall } from './test-call.tsx';

/** The whole order in words, what it would take, a test call, and the acts that make it real. */
export function CheckStep({ draft }: { draft: Draft }) {
  const check = useListCheck(draft, 'order');
  const { answer, problem, file } = check;
  const lacks = lacking(draft, file);
  const begun = useBegun(draft);
  const isReadable = answer !== undefined && answer.problem === null;
  return (
    <>
      {begun && <Begun id={begun.id} name={begun.name} state={begun.state} />}
      {lacks.length > 0 && <Lacking lacks={lacks} />}
      <Section id="summary" title="In words">
        <Summary draft={draft} isWhole />
      </Section>
      <div aria-live="polite">
        {problem && !check.isRunning && <CheckProblem problem={problem} again={check.again} />}
      </div>
      {draft.file && file !== null && (
        <div className="mb-3">
          <CheckProgress check={check} />
        </div>
      )}
      {isReadable && (
        <>
          <CheckedList answer={answer} />
          {answer.forecast && (
            <Section id="forecast" title="Forecast">
              <Ending forecast={answer.forecast} isStarted={false} />
            </Section>
          )}
        </>
      )}
      <TestCall draft={draft} answer={answer} />
      {isReadable && file && lacks.length === 0 && !begun && (
        <StartActs draft={draft} answer={answer} file={file} isChecking={check.isRunning} />
      )}
    </>
  );
}

function Lacking({ lacks }: { lacks: readonly Lack[] }) {
  return (
    <Notice title="Before it can start:">
      <ul className="mt-1 list-inside list-disc">
        {lacks.map(({ step, words }) => (
          <li key={words}>
            <Link to="/campaigns/new" search={{ step }} className="link">
              {words}
            </Link>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The saved draft, when it was started elsewhere meanwhile. */
function useBegun({ saved }: Draft) {
  const campaign = useLive(
    'GET /api/campaigns/{id}',
    { params: { id: saved?.id ?? '' } },
    { everyMs: 10_000, on: ['campaign.'], enabled: saved !== null },
  );
  return saved && campaign.data && campaign.data.state !== 'draft' ? campaign.data : null;
}

function Begun({ id, name, state }: { id: string; name: string; state: string }) {
  return (
    <div className="mb-6 rounded-lg border border-busy bg-busy-soft px-4 py-3">
      <p>
        The campaign <PageLink to={`/campaigns/${id}`}>{name}</PageLink> is {state} already. Start over to
        make another one.
      </p>
    </div>
  );
}
