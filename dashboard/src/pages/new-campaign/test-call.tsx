import { useState } from 'react';
import { useAct } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Form, FormProblem, issueAt, TextField } from '../../kit/field.tsx';
import { clockText } from '../../kit/time.tsx';
import { waitWords } from '../../kit/waits.ts';
import { personAddress } from '../../shell/find.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { change, type Draft } from './draft.ts';
import { orderOf } from './order.ts';

/** One call to oneself, with the agent, the number and the settings of the campaign, as if to the first person. */
export function TestCall({ draft, variables }: { draft: Draft; variables: Record<string, unknown> | null }) {
  const { test, from, country } = draft;
  const { override, agent } = orderOf(draft);
  const [first] = [agent ?? ''].flat().map((each) => String(each).split('=')[0]!);
  const caller = from.find((each) => each.startsWith('+'));
  const act = useAct('POST /api/calls', {
    quiet: true,
    onDone: (call) => change({ test: { ...test, callId: call.id } }),
  });
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
  const [isOver, setOver] = useState(false);
  const { data, error } = useLive(
    'GET /api/calls/{id}',
    { params: { id } },
    { everyMs: isOver ? 30_000 : 1_000, on: ['attempt.', 'recipient.'] },
  );
  if (!data) return <p className="mt-2 text-quiet">{error?.message}</p>;
  const { state, outcome, duration, reason, error: fault } = data;
  if ((state === 'done') !== isOver) setOver(!isOver);
  return (
    <p role="status" className="mt-2 flex flex-wrap items-center gap-2">
      <Badge state={outcome ?? state} />
      <span>
        {state === 'done'
          ? `The call is over${duration === null ? '' : `, after ${clockText(duration)}`}.`
          : (fault ?? (reason ? waitWords[reason] : 'It is on its way.'))}
      </span>
      <PageLink to={personAddress(data)}>Hear and read it</PageLink>
    </p>
  );
}
