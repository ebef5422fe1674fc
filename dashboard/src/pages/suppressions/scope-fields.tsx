import type { ReactNode } from 'react';
import type { Problem } from '../../api/ask.ts';
import { CheckField, issueAt, SelectField, TextField } from '../../kit/field.tsx';
import type { useFields } from '../../kit/use-fields.ts';

/** Fields about phones to suppress, one by one or by a file: for whom, why, and how they are read. */
export const scopeFields = { campaign: '', reason: '', country: '' };
export type Choices = readonly { value: string; label: string }[];

type ScopeFieldsProps = {
  form: Pick<ReturnType<typeof useFields<typeof scopeFields>>, 'field'>;
  hangUp: boolean;
  onHangUp(hangUp: boolean): void;
  campaigns: Choices;
  problem: Problem | null;
  reasonHelp?: string;
  /** The field that only one of the two has. */
  children: ReactNode;
};

export function ScopeFields(props: ScopeFieldsProps) {
  const { form, hangUp, onHangUp, campaigns, problem, reasonHelp, children } = props;
  const country = form.field('country');
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Scope"
          choices={[{ value: '', label: 'Every campaign' }, ...campaigns]}
          {...form.field('campaign')}
        />
        {children}
        <TextField label="Reason" help={reasonHelp} {...form.field('reason')} />
        <TextField
          label="Country"
          help="Such as US, for phones without +."
          maxLength={2}
          {...country}
          onChange={({ target }) => country.onChange({ target: { value: target.value.toUpperCase() } })}
        />
      </div>
      <CheckField
        label="Hang up calls in progress with them"
        checked={hangUp}
        onChange={(event) => onHangUp(event.target.checked)}
        error={issueAt(problem, 'hang_up')}
      />
    </>
  );
}
