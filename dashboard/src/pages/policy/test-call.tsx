import { type FormEvent, useState } from 'react';
import type { AnswerOf } from '../../api/ask.ts';
import { useAct } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { FormProblem, TextField } from '../../kit/field.tsx';
import { localTimeOf } from '../../kit/local-time.ts';
import { Time } from '../../kit/time.tsx';
import { useFields } from '../../kit/use-fields.ts';
import { ruleText } from './rule-words.ts';

/** Whether a phone may be called at a time: yes, or no with the rule, its source and until when. */
const fields = ['phone', 'at', 'state', 'timezone'];

export function TestCall() {
  const test = useAct('POST /api/policy/test', { quiet: true });
  const problem = test.error;
  const [now] = useState(() => localTimeOf(Date.now()));
  const { typed, field } = useFields({ phone: '', at: now, state: '' }, problem);
  const submit = (event: FormEvent) => {
    event.preventDefault();
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
    <Section id="test" title="Test a call">
      <form onSubmit={submit} className="grid items-start gap-3 md:grid-cols-[1fr_1fr_1fr_auto]">
        <TextField label="Phone" placeholder="+1 415 555 0123" autoComplete="off" {...field('phone')} />
        <TextField
          label="At"
          help={`Your clock: ${Intl.DateTimeFormat().resolvedOptions().timeZone}`}
          type="datetime-local"
          {...field('at')}
        />
        <TextField
          label="State"
          help="Such as TX, if it is known. Empty: that of the area code."
          {...field('state')}
        />
        <Button type="submit" busy={test.isPending} className="md:mt-6.5">
          Test
        </Button>
      </form>
      <div className="not-empty:mt-3" aria-live="polite">
        <FormProblem problem={problem} fields={fields} />
        {test.data && !test.isPending && !problem && <Verdict of={test.data} />}
      </div>
    </Section>
  );
}

function Verdict({ of: { allowed, rule, citation, until } }: { of: AnswerOf<'POST /api/policy/test'> }) {
  if (allowed) {
    return (
      <p className="flex flex-wrap items-center gap-2">
        <Badge state="open" label="may be called" />
        {until ? (
          <span>
            until <Time at={until} />
          </span>
        ) : (
          <span className="text-quiet">no rule changes that in the time that is looked ahead</span>
        )}
      </p>
    );
  }
  return (
    <div>
      <p className="flex flex-wrap items-center gap-2">
        <Badge state="denied" label="may not be called" />
        <span>{ruleText(rule)}</span>
        {until ? (
          <span>
            until <Time at={until} />
          </span>
        ) : (
          <span className="text-quiet">no end in the time that is looked ahead</span>
        )}
      </p>
      {citation && <p className="mt-1 text-sm text-quiet">Source: {citation}</p>}
    </div>
  );
}
