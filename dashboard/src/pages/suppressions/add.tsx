import { useState } from 'react';
import { useAct } from '../../api/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { AreaField, CheckField, FormProblem, issueAt, SelectField, TextField } from '../../kit/field.tsx';
import { counted } from '../../kit/words.ts';
import { Suppressed } from './suppressed.tsx';

/** Suppresses phones that are pasted, as many as there are lines. */
type Choices = readonly { value: string; label: string }[];
const fields = ['phones', 'campaign', 'until', 'reason', 'country', 'hang_up'];

export function AddPhones({ campaigns, onClose }: { campaigns: Choices; onClose(): void }) {
  const [text, setText] = useState('');
  const [campaign, setCampaign] = useState('');
  const [until, setUntil] = useState('');
  const [reason, setReason] = useState('');
  const [country, setCountry] = useState('');
  const [hangUp, setHangUp] = useState(false);
  const suppress = useAct('POST /api/suppressions', { quiet: true });
  const phones = text
    .split(/[\n,;]+/)
    .map((each) => each.trim())
    .filter(Boolean);
  const problem = suppress.error;
  const body = {
    phones,
    hang_up: hangUp,
    ...(campaign && { campaign }),
    ...(until && { until }),
    ...(reason && { reason }),
    ...(country && { country: country.toUpperCase() }),
  };
  if (suppress.data) return <Suppressed told={suppress.data} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      held={suppress.isPending}
      title="Suppress phones"
      acts={
        <>
          <Button onClick={onClose} disabled={suppress.isPending}>
            Close
          </Button>
          <Button
            kind="main"
            disabled={phones.length === 0}
            busy={suppress.isPending}
            onClick={() => suppress.run({ body })}
          >
            {phones.length === 0 ? 'Suppress' : `Suppress ${counted(phones.length, 'phone')}`}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <p className="text-quiet">
          It acts at once: when it is done, no call to them begins any more, and rows that wait are skipped.
        </p>
        <AreaField
          label="Phones"
          help="One a line. With +, or in national form with a country below."
          rows={6}
          value={text}
          onChange={(event) => setText(event.target.value)}
          error={issueAt(problem, 'phones')}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            label="Scope"
            value={campaign}
            choices={[{ value: '', label: 'Every campaign' }, ...campaigns]}
            onChange={(event) => setCampaign(event.target.value)}
            error={issueAt(problem, 'campaign')}
          />
          <TextField
            label="Until"
            help="A date, a time or a span such as 30d. Empty is for ever."
            value={until}
            onChange={(event) => setUntil(event.target.value)}
            error={issueAt(problem, 'until')}
          />
          <TextField
            label="Reason"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            error={issueAt(problem, 'reason')}
          />
          <TextField
            label="Country"
            help="Such as US, for phones without +."
            maxLength={2}
            value={country}
            onChange={(event) => setCountry(event.target.value)}
            error={issueAt(problem, 'country')}
          />
        </div>
        <CheckField
          label="Hang up calls in progress with them"
          checked={hangUp}
          onChange={(event) => setHangUp(event.target.checked)}
        />
        <FormProblem problem={problem} fields={fields} />
      </div>
    </Dialog>
  );
}
