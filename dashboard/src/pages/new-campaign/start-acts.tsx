import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, Problem } from '../../api/ask.ts';
import type { ImportPreview } from '../../api/description.ts';
import { refreshEverything } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { showToast } from '../../kit/toast.tsx';
import { count, counted } from '../../kit/words.ts';
import { callable } from './check-state.tsx';
import { clearDraft, type Draft, draftNow, noteFaults } from './draft.ts';
import { saveDraft } from './saving.ts';
import { fewPeople, StartDialog, type StartHow, type StartState } from './start-dialog.tsx';
import { fieldOf, stepOf } from './steps.ts';

/** The acts on a campaign that is ready: each asks once, and tells how many people it concerns. */
type Ready = { draft: Draft; answer: ImportPreview; file: File; isChecking: boolean };

export function StartActs({ draft, answer, file, isChecking }: Ready) {
  const [how, setHow] = useState<StartHow | null>(null);
  const [state, setState] = useState<StartState>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const go = useNavigate();
  const people = callable(answer);

  const act = async (chosen: StartHow, startAt: string) => {
    setProblem(null);
    setState({ words: 'The campaign is being made', part: 0 });
    try {
      const id = await carryOut(chosen, wanted(draft, chosen, startAt), file, setState);
      showToast({ kind: 'done', text: doneWords(chosen, draft.name.trim()) });
      clearDraft();
      refreshEverything();
      await go({ to: '/campaigns/$id', params: { id } });
    } catch (error) {
      const told = asProblem(error);
      noteFaults(told.issues);
      const step = stepOf(told.issues.map(({ path }) => path));
      if (step) {
        setHow(null);
        await go({ to: '/campaigns/new', search: { step } });
      } else setProblem(told);
    } finally {
      setState(null);
    }
  };

  const open = (chosen: StartHow) => () => {
    setProblem(null);
    setHow(chosen);
  };
  // Whoever calls many hears the first calls before all others are made.
  const hearsFirst = people > fewPeople && draft.first.trim() === '';
  return (
    <section
      aria-label="Start"
      className="sticky bottom-0 z-10 flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-card py-3 max-lg:bottom-14"
    >
      <p className="mr-auto">
        {people === 0
          ? draft.evergreen
            ? 'Nobody can be called yet; people can be added when it runs.'
            : 'Nobody on this list can be called. Keep it as a draft, or change the list or the hours.'
          : `${counted(people, 'person waits', 'people wait')} to be called.`}
        {draft.saved && (
          <span className="block text-sm text-quiet">
            It is stored as the draft {draft.saved.name}, and brought up to date first.
          </span>
        )}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={open('draft')} disabled={isChecking}>
          Keep as a draft
        </Button>
        {(people > 0 || draft.evergreen) && (
          <>
            <Button onClick={open('schedule')} disabled={isChecking}>
              Schedule
            </Button>
            <Button kind={hearsFirst ? 'plain' : 'main'} onClick={open('start')} disabled={isChecking}>
              Start calling {people > 0 && count(people)}
            </Button>
            {hearsFirst && (
              <Button kind="main" onClick={open('first')} disabled={isChecking}>
                Call the first {fewPeople}
              </Button>
            )}
          </>
        )}
      </div>
      {how && (
        <StartDialog
          how={how}
          draft={draft}
          answer={answer}
          state={state}
          problem={problem}
          onClose={() => setHow(null)}
          onAct={(startAt) => void act(how, startAt)}
        />
      )}
    </section>
  );
}

/** The order with what the act itself says. */
function wanted(draft: Draft, how: StartHow, startAt: string): Draft {
  if (how === 'first') return { ...draft, first: String(fewPeople) };
  return how === 'schedule' ? { ...draft, start_at: startAt } : draft;
}

async function carryOut(
  how: StartHow,
  draft: Draft,
  file: File,
  setState: (state: StartState) => void,
): Promise<string> {
  await saveDraft(draft, file, { tell: (words, part) => setState({ words, part }) });
  const { id } = draftNow().saved!;
  if (how === 'draft') return id;
  setState({ words: 'The keys are being checked', part: 1 });
  await ask('POST /api/campaigns/{id}/start', { params: { id } });
  return id;
}

function doneWords(how: StartHow, name: string): string {
  switch (how) {
    case 'draft':
      return `${name} is kept as a draft. Nobody is called.`;
    case 'schedule':
      return `${name} is scheduled.`;
    case 'first':
      return `${name} calls its first ${fewPeople} people, then pauses.`;
    case 'start':
      return `${name} is started.`;
  }
}

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
