import { Link } from '@tanstack/react-router';
import { Section } from '../../kit/card.tsx';
import { Notice } from '../../kit/notice.tsx';
import { useHoursInForce } from '../../order/rules.ts';
import { Risks, risksOf } from '../../order/words.tsx';
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
  const inForce = useHoursInForce();
  const isReadable = answer !== undefined && answer.problem === null;
  // The start itself proposes to hear the first calls.
  const risks = risksOf(orderedOf(draft), fewPeople, inForce?.length !== 0);
  return (
    <>
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
      {isReadable && file && lacks.length === 0 && (
        <StartActs draft={draft} answer={answer} file={file} isChecking={check.isRunning} />
      )}
    </>
  );
}
