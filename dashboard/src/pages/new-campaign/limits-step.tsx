import { Section } from '../../kit/card.tsx';
import { CheckField, SelectField, TextField } from '../../kit/field.tsx';
import { change, type Draft, outcomes } from './draft.ts';

/** How often a person is tried and how fast the list is called, and what stops it. Every field may stay empty. */
type TextName = 'max_attempts' | 'max_calls' | 'weight' | 'first' | 'stop_at' | 'opt_out' | 'result_delay';
type BoxName = 'retry_first' | 'evergreen' | 'hang_up';

export function LimitsStep({ draft }: { draft: Draft }) {
  const text = (name: TextName) => ({
    value: draft[name],
    error: draft.faults[name],
    onChange: ({ target }: { target: HTMLInputElement }) => change({ [name]: target.value }),
  });
  const box = (name: BoxName) => ({
    checked: draft[name],
    error: draft.faults[name],
    onChange: ({ target }: { target: HTMLInputElement }) => change({ [name]: target.checked }),
  });
  const grid = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3';
  return (
    <>
      <Section id="retries" title="Retries">
        <div className={grid}>
          <TextField
            label="Attempts per person"
            inputMode="numeric"
            placeholder="1"
            {...text('max_attempts')}
            help="With 1, nobody is called again."
          />
          <SelectField
            label="When to try again"
            value={draft.retry_when}
            onChange={(event) => change({ retry_when: event.target.value })}
            choices={[
              { value: 'same', label: 'When the rule says' },
              { value: 'spread', label: 'In another part of the day' },
            ]}
            error={draft.faults.retry_when}
          />
        </div>
        <RetryRules draft={draft} />
        <CheckField
          label="People who are due again go first"
          {...box('retry_first')}
          help="Else they take turns with people who were never called."
        />
      </Section>
      <Section id="pace" title="Pace">
        <div className={grid}>
          <TextField
            label="Calls at once"
            inputMode="numeric"
            placeholder="no limit"
            {...text('max_calls')}
            help="Of this campaign. The service’s own limit holds too."
          />
          <TextField
            label="Weight"
            inputMode="numeric"
            placeholder="1"
            {...text('weight')}
            help="Its share of the key relative to other campaigns, 1 to 100."
          />
          <TextField
            label="Result delay"
            placeholder="3s"
            {...text('result_delay')}
            help="How much later a result may arrive to save a request."
          />
        </div>
      </Section>
      <Section id="brakes" title="What stops it">
        <div className={`${grid} mb-4`}>
          <TextField
            label="Pause after the first people"
            inputMode="numeric"
            placeholder="call everyone"
            {...text('first')}
            help="It calls this many, then waits for you to resume it."
          />
          <TextField
            label="Pause when calls fail"
            placeholder="50%/2m"
            {...text('stop_at')}
            help="A share of the calls of a time. Empty: never."
          />
          <TextField
            label="Opt-out"
            placeholder="structured_data.opt_out=true"
            {...text('opt_out')}
            help="The value in a call’s record that says that the person wants no more calls."
          />
          <SelectField
            label="When nobody can tell whether a call was made"
            value={draft.on_unknown}
            onChange={(event) => change({ on_unknown: event.target.value })}
            choices={[
              { value: 'hold', label: 'Hold it for a person' },
              { value: 'redial', label: 'Call again once (may call twice)' },
            ]}
            error={draft.faults.on_unknown}
          />
        </div>
        <div className="space-y-2">
          <CheckField
            label="Continue by itself when people are added later"
            {...box('evergreen')}
            help="Else a campaign that is done waits to be started."
          />
          <CheckField
            label="A suppression ends a call in progress too"
            {...box('hang_up')}
            help="Else the call is followed to its end."
          />
        </div>
      </Section>
    </>
  );
}

const words: Record<string, string> = {
  'no-answer': 'No answer',
  busy: 'Busy',
  voicemail: 'Voicemail',
  failed: 'Failed',
  canceled: 'Canceled',
  answered: 'Answered',
};

function RetryRules({ draft: { retry, faults } }: { draft: Draft }) {
  return (
    <fieldset className="my-4">
      <legend className="mb-1 font-medium">Wait before the next attempt, after</legend>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
        {outcomes.map((outcome) => (
          <TextField
            key={outcome}
            label={words[outcome]!}
            value={retry[outcome] ?? ''}
            placeholder="not again"
            onChange={(event) => change({ retry: { ...retry, [outcome]: event.target.value } })}
          />
        ))}
      </div>
      {faults.retry && (
        <p role="alert" className="mt-1 text-sm text-bad">
          {faults.retry}
        </p>
      )}
      <p className="mt-1 text-sm text-quiet">
        A time such as <code>30m</code>, or several for the first, second and third such end:{' '}
        <code>30m/2h/1d</code>. The units are s, m, h and d.
      </p>
    </fieldset>
  );
}
