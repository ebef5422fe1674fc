import { useState } from 'react';
import { useAct } from '../../data/queries.ts';
import { AreaField, issueAt, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { counted } from '../../kit/words.ts';
import { type Choices, everyCampaign, ScopeFields, scopeFields } from './scope-fields.tsx';
import { Suppressed } from './suppressed.tsx';

/** Suppresses phones that are pasted, as many as there are lines. */
const fields = ['phones', 'until', ...scopeFields];

export function AddPhones({ campaigns, onClose }: { campaigns: Choices; onClose(): void }) {
  const [text, setText] = useState('');
  const [until, setUntil] = useState('');
  const [scope, setScope] = useState(everyCampaign);
  const suppress = useAct('POST /api/suppressions', { quiet: true });
  const phones = text
    .split(/[\n,;]+/)
    .map((each) => each.trim())
    .filter(Boolean);
  const problem = suppress.error;
  const { campaign, reason, country, hangUp } = scope;
  const body = {
    phones,
    hang_up: hangUp,
    ...(campaign && { campaign }),
    ...(until && { until }),
    ...(reason && { reason }),
    ...(country && { country }),
  };
  if (suppress.data) return <Suppressed told={suppress.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Suppress phones"
      onClose={onClose}
      act={phones.length === 0 ? 'Suppress' : `Suppress ${counted(phones.length, 'phone')}`}
      onSend={() => suppress.run({ body })}
      busy={suppress.isPending}
      isEmpty={phones.length === 0}
      problem={problem}
      fields={fields}
    >
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
      <ScopeFields scope={scope} onChange={setScope} campaigns={campaigns} problem={problem}>
        <TextField
          label="Until"
          help="A date, a time or a span such as 30d. Empty is for ever."
          value={until}
          onChange={(event) => setUntil(event.target.value)}
          error={issueAt(problem, 'until')}
        />
      </ScopeFields>
    </FormDialog>
  );
}
