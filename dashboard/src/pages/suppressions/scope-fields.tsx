import type { ReactNode } from 'react';
import { CheckField, SelectField, TextField } from '../../kit/field.tsx';
import type { useForm } from '../../kit/use-fields.ts';

/** Fields about phones to suppress, one by one or by a file: for whom, why, and how they are read. */
export const scopeFields = { campaign: '', reason: '', country: '', hang_up: '' };
export type Choices = readonly { value: string; label: string }[];

type ScopeFieldsProps = {
  form: Pick<ReturnType<typeof useForm<typeof scopeFields>>, 'field' | 'box'>;
  campaigns: Choices;
  reasonHelp?: string;
  /** A phone that is known has its country. */
  isKnown?: boolean;
  /** The fields that only one of them has. */
  children: ReactNode;
};

export function ScopeFields({ form, campaigns, reasonHelp, isKnown, children }: ScopeFieldsProps) {
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
        {!isKnown && (
          <TextField
            label="Country"
            help="Such as US, for phones without +."
            maxLength={2}
            {...country}
            onChange={({ target }) => country.onChange({ target: { value: target.value.toUpperCase() } })}
          />
        )}
      </div>
      <CheckField
        label="Hang up calls in progress with them"
        help="Who is talking now is cut off."
        {...form.box('hang_up')}
      />
    </>
  );
}
