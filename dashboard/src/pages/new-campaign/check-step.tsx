import { Section } from '../../kit/card.tsx';
import { Notice } from '../../kit/notice.tsx';
import { counted } from '../../kit/words.ts';
import { useHoursInForce } from '../../order/rules.ts';
import { risksOf } from '../../order/usual.ts';
import { Risks } from '../../order/words.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { Ending } from '../campaign/overview/forecast.tsx';
import { change } from './draft.ts';
import { Checked, callable, type StepProps } from './list-check.tsx';
import { lacking, orderedOf, useCurrency } from './order.ts';
import { fewPeople, hearsFirst, StartActs } from './start-acts.tsx';
import { TestCall } from './test-call.tsx';

/** Who can be called, what is risky, when it would end, a test call, and the acts that make it real. */
export function CheckStep({ draft, check }: StepProps) {
  const { answer, file } = check;
  const lacks = lacking(draft, file);
  const inForce = useHoursInForce();
  const isReadable = answer !== undefined && answer.problem === null;
  // The start itself proposes to hear the first calls.
  const order = orderedOf(draft);
  const risks = risksOf(order, fewPeople, inForce?.length !== 0);
  const currency = useCurrency();
  return (
    <>
      {lacks.length > 0 && (
        <Notice title="Before it can start:">
          <ul className="mt-1 list-inside list-disc">
            {lacks.map(({ step, words }) => (
              <li key={words}>
                <PageLink to={`/campaigns/new?step=${step}`}>{words}</PageLink>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {draft.file && file !== null && <Checked check={check} />}
      <div className="mb-6 empty:hidden">
        <Risks of={risks} onChange={({ field, value }) => change({ [field]: value })} />
      </div>
      {isReadable && answer.forecast && (
        <Section
          id="forecast"
          title={`Forecast for ${counted(callable(answer), 'person', 'people')}`}
          note={hearsFirst(draft) && 'all of them, without a pause after the first'}
          ruled
        >
          <Ending forecast={answer.forecast} attempts={order.max_attempts} currency={currency} />
        </Section>
      )}
      <TestCall draft={draft} variables={answer?.samples[0]?.variables ?? null} />
      {isReadable && file && lacks.length === 0 && (
        <StartActs draft={draft} answer={answer} file={file} isChecking={check.isRunning} />
      )}
    </>
  );
}
