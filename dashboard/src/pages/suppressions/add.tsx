import { useState } from 'react';
import { useAct } from '../../data/queries.ts';
import { AreaField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { useFields } from '../../kit/use-fields.ts';
import { counted } from '../../kit/words.ts';
import { type Choices, ScopeFields, scopeFields } from './scope-fields.tsx';
import { Suppressed } from './suppressed.tsx';

/** Suppresses phones that are pasted, as many as there are lines. */
const fields = ['phones', 'until', 'hang_up', ...Object.keys(scopeFields)];

export function AddPhones({ campaigns, onClose }: { campaigns: Choices; onClose(): void }) {
  const [hangUp, setHangUp] = useState(false);
  const suppress = useAct('POST /api/suppressions', { quiet: true });
  const problem = suppress.error;
  const { typed, field, given } = useFields({ phones: '', until: '', ...scopeFields }, problem);
  const phones = typed.phones
    .split(/[\n,;]+/)
    .map((each) => each.trim())
    .filter(Boolean);
  const body = { ...given(), phones, hang_up: hangUp };
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
        {...field('phones')}
      />
      <ScopeFields
        form={{ field }}
        hangUp={hangUp}
        onHangUp={setHangUp}
        campaigns={campaigns}
        problem={problem}
      >
        <TextField
          label="Until"
          help="A date, a time or a span such as 30d. Empty is for ever."
          {...field('until')}
        />
      </ScopeFields>
    </FormDialog>
  );
}
