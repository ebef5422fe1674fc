import type { ReactNode } from 'react';
import type { Problem } from '../../api/ask.ts';
import { CheckField, issueAt, SelectField, TextField } from '../../kit/field.tsx';

/** Fields about phones to suppress, one by one or by a file: for whom, why, and how they are read. */
export type Scope = { campaign: string; reason: string; country: string; hangUp: boolean };
export const everyCampaign: Scope = { campaign: '', reason: '', country: '', hangUp: false };
export const scopeFields = ['campaign', 'reason', 'country', 'hang_up'] as const;
export type Choices = readonly { value: string; label: string }[];

type ScopeFieldsProps = {
  scope: Scope;
  onChange(scope: Scope): void;
  campaigns: Choices;
  problem: Problem | null;
  reasonHelp?: string;
  /** The field that only one of the two has. */
  children: ReactNode;
};

export function ScopeFields(props: ScopeFieldsProps) {
  const { scope, onChange, campaigns, problem, reasonHelp, children } = props;
  const set = (change: Partial<Scope>) => onChange({ ...scope, ...change });
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Scope"
          value={scope.campaign}
          choices={[{ value: '', label: 'Every campaign' }, ...campaigns]}
          onChange={(event) => set({ campaign: event.target.value })}
          error={issueAt(problem, 'campaign')}
        />
        {children}
        <TextField
          label="Reason"
          help={reasonHelp}
          value={scope.reason}
          onChange={(event) => set({ reason: event.target.value })}
          error={issueAt(problem, 'reason')}
        />
        <TextField
          label="Country"
          help="Such as US, for phones without +."
          maxLength={2}
          value={scope.country}
          onChange={(event) => set({ country: event.target.value.toUpperCase() })}
          error={issueAt(problem, 'country')}
        />
      </div>
      <CheckField
        label="Hang up calls in progress with them"
        checked={scope.hangUp}
        onChange={(event) => set({ hangUp: event.target.checked })}
        error={issueAt(problem, 'hang_up')}
      />
    </>
  );
}
