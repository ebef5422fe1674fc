import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Button, buttonClasses } from '../../kit/button.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Empty, Loading } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { useMay, useMe } from '../../shell/me.ts';
import { CheckStep } from './check-step.tsx';
import { change, clearDraft, draftNow, isUntouched, useDraft } from './draft.ts';
import { type Lack, lacking } from './lacks.ts';
import { CallsStep, HoursStep, LimitsStep } from './order-steps.tsx';
import { PeopleStep } from './people-step.tsx';
import { StepList } from './step-list.tsx';
import { type Step, steps } from './step-names.ts';
import { titles } from './steps.ts';
import { Summary } from './summary.tsx';

/** The path to a new campaign: one step at a time, and nobody is called before the last of them. */
export function NewCampaignPage() {
  const may = useMay('operate');
  const me = useMe();
  if (me.isPending) return <Loading lines={6} />;
  return (
    <div className="max-xl:max-w-5xl">
      <PageHead title="New campaign" acts={may && <StartOver />}>
        {may && 'This browser keeps your draft. Nobody is called before you start it.'}
      </PageHead>
      {may ? (
        <Path />
      ) : (
        <Empty title="You may look, and not make campaigns">
          <p>To make one, log in with a token whose role is operate or admin.</p>
        </Empty>
      )}
    </div>
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
  const { step = 'people' } = useSearch({ from: '/campaigns/new' });
  const View = views[step];
  const draft = useDraft();
  const lacks = lacking(draft, undefined);
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
    <div className={step === 'check' ? '' : 'gap-x-10 xl:grid xl:grid-cols-[minmax(0,1fr)_21rem]'}>
      <StepList current={step} draft={draft} heading={heading}>
        <View draft={draft} />
        {step !== 'check' && <Onward step={step} lacks={lacks.filter((each) => each.step === step)} />}
      </StepList>
      {step !== 'check' && (
        <aside aria-label="What will happen" className="text-sm max-xl:hidden">
          <div className="rounded-lg bg-quiet-soft px-4 pt-3 pb-4 xl:sticky xl:top-20">
            <h2 className="mb-2 text-base font-semibold">What will happen</h2>
            <Summary draft={draft} lacks={lacks.filter((each) => each.step !== step)} />
          </div>
        </aside>
      )}
    </div>
  );
}

/** The main act once the step has what it needs; before that it says what is missing. */
function Onward({ step, lacks }: { step: Step; lacks: readonly Lack[] }) {
  const at = steps.indexOf(step);
  const isReady = lacks.length === 0;
  const [before, after] = [steps[at - 1], steps[at + 1]];
  return (
    <nav
      aria-label="Between the steps"
      className="sticky bottom-0 z-10 mt-6 flex flex-wrap items-center gap-2 border-t border-line bg-card py-3 max-lg:bottom-14"
    >
      {before && (
        <Link to="/campaigns/new" search={{ step: before }} className={buttonClasses()}>
          ← {titles[before]}
        </Link>
      )}
      {after && (
        <Link
          to="/campaigns/new"
          search={{ step: after }}
          className={buttonClasses(isReady ? 'main' : 'quiet')}
        >
          {isReady ? 'Next: ' : 'Skip to '}
          {titles[after]} →
        </Link>
      )}
      {!isReady && (
        <span className="ml-auto text-sm text-quiet">{lacks.map(({ words }) => words).join(' ')}</span>
      )}
    </nav>
  );
}

function StartOver() {
  const draft = useDraft();
  const go = useNavigate();
  const [asks, setAsks] = useState(false);
  if (isUntouched(draft)) return null;
  return (
    <>
      <Button kind="quiet" onClick={() => setAsks(true)}>
        Start over
      </Button>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title="Forget what was filled in?"
        act="Start over"
        danger
        onAct={() => {
          setAsks(false);
          clearDraft();
          void go({ to: '/campaigns/new' });
        }}
      >
        <p>
          The file and all fields are cleared.{' '}
          {draft.saved &&
            `The campaign ${draft.saved.name} stays in the list as a draft; delete it there if it is not needed.`}
        </p>
      </Confirm>
    </>
  );
}
