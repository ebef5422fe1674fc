import { type ReactNode, useState } from 'react';
import { ask, Problem } from '../../api/ask.ts';
import type { ImportPreview } from '../../api/description.ts';
import { refreshEverything } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Trouble } from '../../kit/empty.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Meter } from '../../kit/meter.tsx';
import { navigate } from '../../kit/router.tsx';
import { timeText } from '../../kit/time.tsx';
import { showToast } from '../../kit/toast.tsx';
import { cost, count, counted } from '../../kit/words.ts';
import { weekWords } from '../../order/week.ts';
import { clearDraft, type Draft, draftNow, noteFaults } from './draft.ts';
import { callable } from './list-check.tsx';
import { useCurrency } from './order.ts';
import { saveDraft } from './saving.ts';
import { fieldOf, stepOf } from './steps.ts';

/** The acts on a campaign that is ready; those that call ask once, and tell how many people it concerns. */
type StartHow = 'draft' | 'first' | 'start';
type Ready = { draft: Draft; answer: ImportPreview; file: File; isChecking: boolean };

/** As many are heard before all others are called. */
export const fewPeople = 20;
/** Whoever calls many hears the first calls before all others are made. */
export const hearsFirst = ({ found, first }: Draft) =>
  (found?.people ?? 0) > fewPeople && first.trim() === '';

export function StartActs({ draft, answer, file, isChecking }: Ready) {
  const [how, setHow] = useState<StartHow | null>(null);
  const [state, setState] = useState<{ words: string; part: number } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const people = callable(answer);
  const canStart = people > 0 || draft.evergreen !== '';
  const tell = (words: string, part: number) => setState({ words, part });

  const act = async (chosen: StartHow) => {
    setProblem(null);
    tell('The campaign is being made', 0);
    try {
      await saveDraft(chosen === 'first' ? { ...draft, first: `${fewPeople}` } : draft, file, { tell });
      const { id } = draftNow().saved!;
      if (chosen !== 'draft') {
        tell('The keys are being checked', 1);
        await ask('POST /api/campaigns/{id}/start', { params: { id } });
      }
      showToast({ kind: 'done', text: `${draft.name.trim()} ${doneWords[chosen]}` });
      clearDraft();
      refreshEverything();
      await navigate({ to: '/campaigns/$id', params: { id } });
    } catch (error) {
      const told = asProblem(error);
      noteFaults(told.issues);
      const step = stepOf(told.issues.map(({ path }) => path));
      if (step) await navigate({ to: '/campaigns/new', search: { step } });
      else setProblem(told);
    } finally {
      setState(null);
    }
  };
  const isHeard = canStart && hearsFirst(draft);
  const sum = answer.forecast?.cost;
  const currency = useCurrency();
  const words = isHeard ? `Call the first ${fewPeople}` : 'Call everyone';
  const call = `Call ${how === 'first' ? `the first ${fewPeople}` : counted(people, 'person', 'people')}`;
  const button = (chosen: StartHow, words: ReactNode, kind: 'plain' | 'main' = 'plain') => (
    <Button
      kind={kind}
      className={chosen === 'draft' ? '' : 'ml-auto'}
      disabled={isChecking || state !== null}
      onClick={() => {
        setProblem(null);
        setHow(chosen);
        if (chosen === 'draft') void act(chosen);
      }}
    >
      {words}
    </Button>
  );
  const progress = state && <Meter label="Progress" value={state.part} words={`${state.words}…`} />;
  return (
    <section
      aria-label="Start"
      className="sticky bottom-0 z-10 flex flex-wrap items-center gap-2 border-t border-line bg-card py-3 max-lg:bottom-14 max-sm:gap-1"
    >
      {button('draft', 'Keep as a draft')}
      <div className="min-w-48 flex-1 text-sm text-quiet max-sm:order-first max-sm:basis-full sm:text-right">
        {!canStart && 'Nobody on this list can be called. Change the list or the hours.'}
        {how === 'draft' && (problem ? <Trouble problem={problem} /> : progress)}
        {isHeard &&
          how !== 'draft' &&
          `The first ${fewPeople} ${sum ? `cost about ${cost((sum / people) * fewPeople, currency)}` : 'are called'}; then it pauses until you have listened.`}
      </div>
      {isHeard &&
        button(
          'start',
          <span>
            Call all {count(people)}
            {Boolean(sum) && <span className="text-quiet max-sm:hidden">, about {cost(sum!, currency)}</span>}
          </span>,
        )}
      {canStart && button(isHeard ? 'first' : 'start', words, 'main')}
      {(how === 'first' || how === 'start') && (
        <FormDialog
          title={how === 'first' ? `${call} of ${count(people)} people?` : `${call}?`}
          onClose={() => setHow(null)}
          act={call}
          keep="Not now"
          onSend={() => void act(how)}
          busy={state !== null}
          problem={problem}
        >
          <p>
            It begins {draft.start_at ? `at ${timeText(draft.start_at)}` : 'now'}: people are called{' '}
            {weekWords(draft.window)}, by their own clock.
            {how === 'first' && ` Then it pauses for your ear: the other ${count(people - fewPeople)} wait.`}
          </p>
          {progress}
        </FormDialog>
      )}
    </section>
  );
}

const doneWords: Record<StartHow, string> = {
  draft: 'is kept as a draft. Nobody is called.',
  first: `calls its first ${fewPeople} people, then pauses.`,
  start: 'is started.',
};

/** Refusals that are one field's fault, though the API tells them of the whole request. */
const fieldsOfCodes: Partial<Record<Problem['code'], string>> = {
  'campaign-exists': 'name',
  'caller-unknown': 'from',
  'window-empty': 'window',
};

function asProblem(error: unknown): Problem {
  if (!(error instanceof Problem)) return new Problem({ detail: String(error) }, 0, null);
  const field = fieldsOfCodes[error.code];
  if (field === undefined || error.issues.some(({ path }) => fieldOf(path) === field)) return error;
  return Object.assign(error, { issues: [{ path: field, message: `${error.message}. ${error.remedy}` }] });
}
