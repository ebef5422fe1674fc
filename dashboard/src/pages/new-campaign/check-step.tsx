import { Link } from '@tanstack/react-router';
import { useLive } from '../../data/use-live.ts';
import { Section } from '../../kit/card.tsx';
import { Notice } from '../../kit/notice.tsx';
import { useHoursInForce } from '../../order/rules.ts';
import { Risks, risksOf } from '../../order/words.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { Ending } from '../campaign/overview/forecast.tsx';
import { change, type Draft } from './draft.ts';
import { Checked, useListCheck } from './list-check.tsx';
import { lacking, orderedOf } from './order.ts';
import { fewPeople, StartActs } from './start-acts.tsx';
import { TestCall } from './test-call.tsx';

/** Who can be called, what is risky, when it would end, a test call, and the acts that make it real. */
export function CheckStep({ draft }: { draft: Draft }) {
  const check = useListCheck(draft, 'order');
  const { answer, file } = check;
  const lacks = lacking(draft, file);
  const begun = useBegun(draft);
  const inForce = useHoursInForce();
  const isReadable = answer !== undefined && answer.problem === null;
  // The start itself proposes to hear the first calls.
  const risks = risksOf(orderedOf(draft), fewPeople, inForce?.length !== 0);
  return (
    <>
      {begun && (
        <Notice>
          The campaign <PageLink to={`/campaigns/${begun.id}`}>{begun.name}</PageLink> is {begun.state}{' '}
          already. Start over to make another one.
        </Notice>
      )}
      {lacks.length > 0 && (
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
      )}
      {draft.file && file !== null && <Checked check={check} />}
      <Risks of={risks} onChange={({ field, value }) => change({ [field]: value })} />
      {isReadable && answer.forecast && (
        <Section id="forecast" title="Forecast">
          <Ending forecast={answer.forecast} isStarted={false} />
        </Section>
      )}
      <TestCall draft={draft} variables={answer?.samples[0]?.variables ?? null} />
      {isReadable && file && lacks.length === 0 && !begun && (
        <StartActs draft={draft} answer={answer} file={file} isChecking={check.isRunning} />
      )}
    </>
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
