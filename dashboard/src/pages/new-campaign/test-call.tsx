import { useState } from 'react';
import type { Problem } from '../../api/ask.ts';
import type { Call, ImportPreview } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { AreaField, FormProblem, issueAt, SelectField, TextField } from '../../kit/field.tsx';
import { Stat } from '../../kit/stat.tsx';
import { durationText, Time } from '../../kit/time.tsx';
import { waitWords } from '../../kit/waits.ts';
import { cost } from '../../kit/words.ts';
import { jsonFault } from '../../order/fields.ts';
import { change, type Draft } from './draft.ts';

/** One call to oneself, with the agent and the number of the campaign, before anyone else is called. */
export function TestCall({ draft, answer }: { draft: Draft; answer: ImportPreview | undefined }) {
  const { test, agent: agents, from, country } = draft;
  const [problem, setProblem] = useState<Problem | null>(null);
  const act = useAct('POST /api/calls', {
    quiet: true,
    onDone: (call) => change({ test: { ...test, callId: call.id } }),
  });
  const named = agents.map(({ id }) => id.trim()).filter(Boolean);
  const agent = named.includes(test.agent) ? test.agent : (named[0] ?? '');
  // A test call comes from one number: the service chooses where the order names none.
  const numbers = from.filter((each) => each.startsWith('+'));
  const caller = numbers.includes(test.from) ? test.from : (numbers[0] ?? '');
  const first = answer?.samples[0]?.variables;
  const variables = test.variables || (first ? JSON.stringify(first, null, 2) : '');
  const set = (changes: Partial<Draft['test']>) => change({ test: { ...test, ...changes } });
  const fault = jsonFault(variables);
  const call = () => {
    setProblem(null);
    act.mutate(
      {
        body: {
          agent,
          phone: test.phone.trim(),
          ...(caller ? { from: caller } : {}),
          ...(country ? { country } : {}),
          ...jsonBody('variables', variables),
          ...jsonBody('override', draft.override),
        },
      },
      { onError: setProblem },
    );
  };
  return (
    <Section id="test" title="Call yourself first">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          call();
        }}
      >
        <div className="grid gap-4 sm:grid-cols-3">
          <TextField
            label="Your phone"
            type="tel"
            autoComplete="off"
            value={test.phone}
            onChange={(event) => set({ phone: event.target.value })}
            placeholder="+14155550100"
            error={issueAt(problem, 'phone')}
          />
          <SelectField
            label="Agent"
            value={agent}
            onChange={(event) => set({ agent: event.target.value })}
            choices={named.length > 0 ? named.map(choice) : [{ value: '', label: 'none is named yet' }]}
            error={issueAt(problem, 'agent')}
          />
          <SelectField
            label="From"
            value={caller}
            onChange={(event) => set({ from: event.target.value })}
            choices={numbers.length > 0 ? numbers.map(choice) : [{ value: '', label: 'the service chooses' }]}
            error={issueAt(problem, 'from')}
          />
        </div>
        <details className="my-3">
          <summary className="text-quiet">
            Variables of the call{first && test.variables === '' ? ': those of the first person' : ''}
          </summary>
          <div className="mt-2">
            <AreaField
              label="Variables, as JSON"
              value={variables}
              onChange={(event) => set({ variables: event.target.value })}
              spellCheck={false}
              error={fault ?? issueAt(problem, 'variables')}
            />
          </div>
        </details>
        <FormProblem problem={problem} fields={['phone', 'agent', 'from', 'variables']} />
        <Button
          type="submit"
          className="mt-2"
          busy={act.isPending}
          disabled={test.phone.trim() === '' || agent === '' || fault !== null}
        >
          Call this phone
        </Button>
      </form>
      {test.callId && <Course id={test.callId} />}
    </Section>
  );
}

const choice = (value: string) => ({ value, label: value });

function jsonBody(name: string, text: string): Record<string, unknown> {
  return text.trim() === '' || jsonFault(text) !== null ? {} : { [name]: JSON.parse(text) as unknown };
}

const over: readonly Call['state'][] = ['done', 'skipped', 'rejected'];

/** How the call is, until its end. */
function Course({ id }: { id: string }) {
  const [isOver, setOver] = useState(false);
  const { data, error } = useLive(
    'GET /api/calls/{id}',
    { params: { id } },
    { everyMs: isOver ? 30_000 : 1_000, on: ['attempt.', 'recipient.'] },
  );
  if (data && over.includes(data.state) !== isOver) setOver(!isOver);
  if (error && !data) return <p className="mt-3 text-quiet">{error.message}</p>;
  if (!data) return null;
  return (
    <div role="status" className="mt-4 border-t border-line pt-3">
      <p className="mb-2 flex flex-wrap items-center gap-2">
        <Badge state={data.outcome ?? data.state} />
        <span>{courseWords(data)}</span>
      </p>
      {data.outcome && (
        <dl className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-4">
          <Stat name="Lasted">{data.duration === null ? '–' : durationText(data.duration * 1_000)}</Stat>
          <Stat name="Cost">{data.cost === null ? '–' : cost(data.cost, data.currency)}</Stat>
          <Stat name="Ended">{data.ended_at ? <Time at={data.ended_at} /> : '–'}</Stat>
          <Stat name="Call id">{data.call_id ?? '–'}</Stat>
        </dl>
      )}
      {data.transcript && (
        <details className="mt-2">
          <summary>Transcript</summary>
          <p className="mt-1 whitespace-pre-wrap">{data.transcript}</p>
        </details>
      )}
      {data.error && <p className="mt-2 text-warn">{data.error}</p>}
    </div>
  );
}

function courseWords({ state, reason, until }: Call): string {
  switch (state) {
    case 'waiting':
      return `It waits${reason ? `: ${waitWords[reason]}` : ''}${until ? `, until ${new Date(until).toLocaleString()}` : ''}.`;
    case 'queued':
      return 'It is in the key’s queue.';
    case 'calling':
      return 'The phone is being called.';
    case 'parked':
      return 'It waits for credit.';
    case 'unknown':
      return 'Nobody can tell whether the call was made. It is not made again by itself.';
    case 'done':
      return 'The call is over.';
    case 'skipped':
      return 'It was not made.';
    case 'rejected':
      return 'It was rejected.';
  }
}
