import { useState } from 'react';
import type { AnswerOf } from '../../api/ask.ts';
import { useAct } from '../../data/queries.ts';
import { Button } from '../../kit/basics.tsx';
import { Form, FormProblem, TextField, useForm } from '../../kit/form.tsx';
import { Glance, Section } from '../../kit/page.tsx';
import { phoneText, Time } from '../../kit/values.tsx';
import { type WaitReason, waitWords } from '../../kit/waits.ts';
import { localTimeOf, sentenceOf } from '../../kit/words.ts';

/** Whether a phone may be called at a time: yes, or no with the rule, its source and until when. */
export function TestCall({ hasRules }: { hasRules: boolean }) {
  const test = useAct('POST /api/policy/test', { quiet: true });
  const [now] = useState(() => localTimeOf(Date.now()));
  const { typed, field, frame } = useForm({ phone: '', at: now, state: '' }, test);
  const send = () => {
    const { phone, at, state } = typed;
    const time = new Date(at);
    const body = {
      phone,
      at: Number.isNaN(time.getTime()) ? at : time.toISOString(),
      ...(state.trim() && { state: state.trim() }),
    };
    test.run({ body });
  };
  return (
    <Section title="May this phone be called?">
      <Form
        onSend={send}
        className="grid max-w-4xl grid-cols-2 items-start gap-3 max-sm:[&>:first-child]:col-span-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_6rem_auto]"
      >
        <TextField placeholder="+1 415 555 0123" autoComplete="off" {...field('phone', 'Phone')} />
        <TextField type="datetime-local" {...field('at', 'At', 'By your clock.')} />
        <TextField placeholder="TX" {...field('state', 'State', 'If known.')} />
        <Button type="submit" busy={test.isPending} className="min-h-[34px] max-sm:col-span-2 sm:mt-6">
          Test
        </Button>
      </Form>
      <div className="not-empty:mt-3" aria-live="polite">
        <FormProblem {...frame} />
        {test.data && !test.isPending && (
          <Verdict of={test.data} phone={test.variables.body.phone} hasRules={hasRules} />
        )}
      </div>
    </Section>
  );
}

type Judged = { of: AnswerOf<'POST /api/policy/test'>; phone: string; hasRules: boolean };

function Verdict({ of: { allowed, rule, citation, until }, phone, hasRules }: Judged) {
  const reason = rule === null ? 'a rule holds it back' : (waitWords[rule as WaitReason] ?? rule);
  const who = phoneText(phone);
  // Where nothing was judged, nothing is found to be fine.
  if (allowed && !hasRules)
    return (
      <Glance level="watch" title={`No rule keeps ${who} from being called, at any hour.`}>
        Only the hours of each campaign hold, and who must not be called at all.
      </Glance>
    );
  return (
    <Glance level={allowed ? 'fine' : 'watch'} title={`${who} may ${allowed ? '' : 'not '}be called then.`}>
      {!allowed && `${sentenceOf(reason)} `}
      {until ? (
        <>
          It {allowed ? 'may' : 'must wait'} until <Time at={until} />.
        </>
      ) : (
        `No rule changes that in the time that is looked ahead.`
      )}
      {citation && <p className="text-sm">Source: {citation}</p>}
    </Glance>
  );
}
