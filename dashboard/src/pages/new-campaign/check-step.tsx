import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, type ImportPreview, Problem } from '../../api/ask.ts';
import { refreshEverything, useAct, useLive } from '../../data/queries.ts';
import { Meter } from '../../kit/bars.tsx';
import { Badge, Button } from '../../kit/basics.tsx';
import { Form, FormDialog, FormProblem, issueAt, TextField } from '../../kit/form.tsx';
import { Notice, Section, Trouble } from '../../kit/page.tsx';
import { Link, navigate } from '../../kit/router.tsx';
import { nextCallText } from '../../kit/their-time.tsx';
import { showToast } from '../../kit/toast.tsx';
import { clockText, cost, count, counted, waitWords } from '../../kit/words.ts';
import { risksOf } from '../../order/fields.ts';
import { useHoursInForce } from '../../order/rules.ts';
import { weekWords } from '../../order/week.ts';
import { Risks } from '../../order/words.tsx';
import { personAddress } from '../../shell/people.tsx';
import { Ending } from '../campaign/overview/forecast.tsx';
import { change, clearDraft, type Draft, draftNow, noteFaults } from './draft.ts';
import { Checked, callable, type StepProps } from './list-check.tsx';
import { lacking, orderedOf, orderOf, useCurrency } from './order.ts';
import { saveDraft } from './saving.ts';
import { fieldOf, stepOf } from './steps.ts';

/** One call to oneself, with the agent, the number and the settings of the campaign, as if to the first person. */
export function TestCall({ draft, variables }: { draft: Draft; variables: Record<string, unknown> | null }) {
  const { test, from, country } = draft;
  const { override, agent } = orderOf(draft);
  const [first] = [agent ?? ''].flat().map((each) => String(each).split('=')[0]!);
  const act = useAct('POST /api/calls', {
    quiet: true,
    onDone: (call) => change({ test: { ...test, callId: call.id } }),
  });
  const caller = from.find((each) => each.startsWith('+'));
  const body = {
    agent: first ?? '',
    phone: test.phone.trim(),
    ...(caller && { from: caller }),
    ...(country && { country }),
    ...(variables && { variables }),
    ...(override && { override }),
  };
  return (
    <Form className="mb-6 border-t border-line pt-4" onSend={() => act.run({ body })}>
      <div className="flex max-w-md items-end gap-2 [&>div]:flex-1">
        <TextField
          label="Call yourself first"
          type="tel"
          autoComplete="off"
          required
          value={test.phone}
          onChange={({ target }) => change({ test: { ...test, phone: target.value } })}
          placeholder="Your phone, +14155550100"
          error={issueAt(act.error, 'phone')}
        />
        <Button type="submit" className="min-h-[34px]" busy={act.isPending} disabled={!first}>
          Call this phone
        </Button>
      </div>
      <FormProblem problem={act.error} fields={['phone']} />
      {test.callId && <Course id={test.callId} />}
    </Form>
  );
}

function Course({ id }: { id: string }) {
  const beat = { everyMs: 1_500, on: ['attempt.', 'recipient.'] };
  const { data, error } = useLive('GET /api/calls/{id}', { id }, beat);
  if (!data) return <p className="mt-2 text-quiet">{error?.message}</p>;
  const { state, outcome, duration, reason, error: fault } = data;
  return (
    <p role="status" className="mt-2 flex flex-wrap items-center gap-2">
      <Badge state={outcome ?? state} />
      <span>
        {state === 'done'
          ? `The call is over${duration === null ? '' : `, after ${clockText(duration)}`}.`
          : (fault ?? (reason ? waitWords[reason] : 'It is on its way.'))}
      </span>
      <Link to={personAddress(data)}>Hear and read it</Link>
    </p>
  );
}

type StartHow = 'draft' | 'first' | 'start';
type Ready = { draft: Draft; answer: ImportPreview; file: File; isChecking: boolean };

export const fewPeople = 20;
/** Whoever calls many hears the first calls before all others are made. */
export const hearsFirst = ({ found, first }: Draft) =>
  (found?.people ?? 0) > fewPeople && first.trim() === '';

function StartActs({ draft, answer, file, isChecking }: Ready) {
  const [how, setHow] = useState<StartHow | null>(null);
  const [state, setState] = useState({ words: '', part: 0 });
  const people = callable(answer);
  const next = nextCallText(answer.forecast);
  const canStart = people > 0 || draft.evergreen !== '';
  const tell = (words: string, part: number) => setState({ words, part });

  const act = useMutation<void, unknown, StartHow>({
    networkMode: 'always',
    mutationFn: async (chosen) => {
      tell('The campaign is being made', 0);
      await saveDraft(chosen === 'first' ? { ...draft, first: `${fewPeople}` } : draft, file, tell);
      const { id } = draftNow().saved!;
      if (chosen !== 'draft') {
        tell('The keys are being checked', 1);
        await ask('POST /api/campaigns/{id}/start', { id });
      }
      const what = chosen !== 'draft' && next ? `waits: ${next}.` : doneWords[chosen];
      showToast({ kind: 'done', text: `${draft.name.trim()} ${what}` });
      clearDraft();
      refreshEverything();
      await navigate({ to: '/campaigns/$id', params: { id } });
    },
    onError(error) {
      const faults = faultsOf(asProblem(error));
      noteFaults(faults);
      const step = stepOf(faults.map(({ path }) => path));
      if (step) void navigate({ to: '/campaigns/new', search: { step } });
    },
  });
  const problem = act.isError ? asProblem(act.error) : null;
  const isHeard = canStart && hearsFirst(draft);
  const sum = answer.forecast?.cost;
  const currency = useCurrency();
  const words = isHeard ? `Call the first ${fewPeople}` : 'Call everyone';
  const call = `Call ${how === 'first' ? `the first ${fewPeople}` : counted(people, 'person', 'people')}`;
  const button = (chosen: StartHow, words: ReactNode, kind: 'plain' | 'main' = 'plain') => (
    <Button
      acts
      kind={kind}
      className={chosen === 'draft' ? '' : 'ml-auto'}
      disabled={isChecking || act.isPending}
      onClick={() => {
        act.reset();
        setHow(chosen);
        if (chosen === 'draft') act.mutate(chosen);
      }}
    >
      {words}
    </Button>
  );
  const progress = act.isPending && <Meter label="Progress" value={state.part} words={`${state.words}…`} />;
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
          onSend={() => act.mutate(how)}
          busy={act.isPending}
          problem={problem}
        >
          <p>
            {next ? `It waits: ${next}. People` : 'It begins now: people'} are called{' '}
            {weekWords(draft.window)}, by their own clock.
            {how === 'first' &&
              ` Then it pauses, so that you can listen: the other ${count(people - fewPeople)} wait.`}
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

/** The browser’s own word on an answer that broke off is none of the API. */
const asProblem = (error: unknown) =>
  error instanceof Problem ? error : new Problem({ detail: String(error) }, 0, null);

function faultsOf({ code, message, remedy, issues }: Problem) {
  const field = fieldsOfCodes[code];
  if (field === undefined || issues.some(({ path }) => fieldOf(path) === field)) return issues;
  return [{ path: field, message: `${message}. ${remedy}` }];
}

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
                <Link to={`/campaigns/new?step=${step}`}>{words}</Link>
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
