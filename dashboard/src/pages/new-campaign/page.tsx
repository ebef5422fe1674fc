import { useEffect, useRef } from 'react';
import { buttonClasses } from '../../kit/basics.tsx';
import { FormDialog } from '../../kit/form.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { Empty, Loading, Page } from '../../kit/page.tsx';
import { Link, navigate, useSearch } from '../../kit/router.tsx';
import { classes } from '../../kit/words.ts';
import { Opens } from '../../shell/opens.tsx';
import { useMay, useMe } from '../../shell/reads.ts';
import { CheckStep } from './check-step.tsx';
import { change, clearDraft, draftNow, isUntouched, useDraft } from './draft.ts';
import { useListCheck } from './list-check.tsx';
import { lacking } from './order.ts';
import { CallsStep, HoursStep, LimitsStep } from './order-steps.tsx';
import { PeopleStep } from './people-step.tsx';
import { StepList, Summary } from './step-list.tsx';
import { type Step, steps } from './step-names.ts';
import { titles } from './steps.ts';

/** The path to a new campaign: one step at a time, and nobody is called before the last of them. */
export function NewCampaignPage() {
  const may = useMay('operate');
  const me = useMe();
  if (me.isPending) return <Loading lines={6} />;
  return (
    <Page title="New campaign" up={{ to: '/campaigns', label: 'Campaigns' }} acts={may && <StartOver />}>
      {may ? (
        <Path />
      ) : (
        <Empty title="You may look, and not make campaigns">
          To make one, log in with a token whose role is operate or admin.
        </Empty>
      )}
    </Page>
  );
}

const views = {
  people: PeopleStep,
  calls: CallsStep,
  hours: HoursStep,
  limits: LimitsStep,
  check: CheckStep,
} satisfies Record<Step, unknown>;

function Path() {
  const { step = 'people' } = useSearch('/campaigns/new');
  const View = views[step];
  const draft = useDraft();
  const lacks = lacking(draft, undefined);
  // Once it is known who speaks, the whole order is judged, which also foretells the end. A long list takes seconds, and
  // is judged at the last step.
  const isEarly = step === 'hours' || step === 'limits';
  const isShort = (draft.found?.people ?? 0) <= longList;
  const isWhole = step === 'check' || (isEarly && isShort && draft.agent.trim() !== '');
  const check = useListCheck(draft, isWhole ? 'order' : 'hours');
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    // At the first sight the page is read from its top, and nothing is kept.
    if (shown.current === step) return;
    shown.current = step;
    heading.current?.focus();
    const at = steps.indexOf(step);
    if (at > draftNow().passed) change({ passed: at });
  }, [step]);
  return (
    <div className="grid grid-cols-1 gap-x-10 xl:grid-cols-[minmax(0,1fr)_24rem]">
      <StepList current={step} draft={draft} heading={heading}>
        <View draft={draft} check={check} />
        {step !== 'check' && <Onward step={step} isReady={!lacks.some((each) => each.step === step)} />}
      </StepList>
      <aside
        aria-label="What will happen"
        className="max-xl:sticky max-xl:top-14 max-xl:z-20 max-xl:order-first max-xl:mb-4"
      >
        <Summary
          key={step === 'check' ? step : 'before'}
          isOpen={step === 'check'}
          draft={draft}
          lacks={lacks}
          check={isWhole ? check : null}
        />
      </aside>
    </div>
  );
}

/** So many people are read again at each change of a field without delay. */
const longList = 50_000;

/** Those that stand in no form of their own. */
const stepFields = 'main ol :is(input, select):not(form *)';
const takes: Partial<Record<Step, string>> = { calls: 'this agent' };

function Onward({ step, isReady }: { step: Step; isReady: boolean }) {
  const at = steps.indexOf(step);
  const [before, after] = [steps[at - 1], steps[at + 1]!];
  const onward = useRef<HTMLAnchorElement>(null);
  usePageKeys(isReady ? { Enter: () => onward.current?.click() } : {});
  useEffect(() => {
    // In a field too; where the step lacks something, Enter leads there.
    const take = (event: KeyboardEvent) => {
      const field = event.target as HTMLInputElement;
      if (event.key !== 'Enter' || !field.matches(`${stepFields}:not([type=search], [type=file])`)) return;
      event.preventDefault();
      if (isReady) return onward.current?.click();
      const all = [...document.querySelectorAll<HTMLInputElement>(stepFields)];
      const at = all.indexOf(field);
      const others = [...all.slice(at + 1), ...all.slice(0, at)];
      others.find((each) => each.ariaInvalid === 'true' || each.value === '')?.focus();
    };
    window.addEventListener('keydown', take);
    return () => window.removeEventListener('keydown', take);
  }, [isReady]);
  return (
    <nav
      aria-label="Between the steps"
      className={classes(
        'sticky bottom-0 z-10 flex flex-wrap items-center gap-2 bg-card py-3 max-lg:bottom-14',
        // The people end with a line of their own.
        step !== 'people' && 'mt-6 border-t border-line',
      )}
    >
      <Link
        ref={onward}
        to="/campaigns/new"
        search={{ step: after }}
        className={buttonClasses(isReady ? 'main' : 'plain')}
      >
        {isReady ? `Take ${takes[step] ?? `these ${step}`}` : `Next: ${titles[after]}`}
        {isReady && <kbd className="key-in-button max-md:hidden">Enter</kbd>}
      </Link>
      {before && (
        <Link to="/campaigns/new" search={{ step: before }} className={buttonClasses('quiet')}>
          Back
        </Link>
      )}
    </nav>
  );
}

function StartOver() {
  const draft = useDraft();
  if (isUntouched(draft)) return null;
  // With the draft goes its question.
  const forget = () => {
    clearDraft();
    void navigate({ to: '/campaigns/new' });
  };
  return (
    <Opens words="Start over" may="operate" kind="quiet">
      {(close) => (
        <FormDialog
          onClose={close}
          title="Forget what was filled in?"
          act="Start over"
          keep="Keep as it is"
          danger
          onSend={forget}
          busy={false}
          problem={null}
        >
          <p>
            The file and all fields are cleared.
            {draft.saved && ` The campaign ${draft.saved.name} stays in the list as a draft.`}
          </p>
        </FormDialog>
      )}
    </Opens>
  );
}
