import { type ComponentProps, type FormEvent, type ReactNode, useId } from 'react';
import type { Issue, Problem } from '../api/ask.ts';
import { Trouble } from './empty.tsx';

/** Fields of a form: each with its name, its help, and what the API says is wrong with it. */
const box =
  'w-full rounded-md border border-line-strong bg-card px-2.5 py-1 min-h-[34px] max-sm:min-h-10 aria-invalid:border-bad disabled:opacity-60';

type Frame = { label: string; help?: ReactNode; error?: string | undefined };

/** What ties a control to its name, its fault and its help. */
export function useTies({ error, help }: Omit<Frame, 'label'>) {
  const id = useId();
  const by = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ');
  return { id, 'aria-invalid': error ? true : undefined, 'aria-describedby': by || undefined };
}

type FieldProps = Frame & { children(ties: ReturnType<typeof useTies>): ReactNode };

function Field({ label, children, ...notes }: FieldProps) {
  const ties = useTies(notes);
  return (
    <div className="min-w-0">
      <label htmlFor={ties.id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      {children(ties)}
      <Notes {...notes} id={ties.id} />
    </div>
  );
}

/** The fault of a field, and its help. */
export const Notes = ({ id, error, help }: Omit<Frame, 'label'> & { id: string }) => (
  <>
    {error && (
      <p id={`${id}-error`} className="mt-1 text-sm text-bad">
        {error}
      </p>
    )}
    {help && (
      <p id={`${id}-help`} className="mt-1 text-sm text-quiet">
        {help}
      </p>
    )}
  </>
);

export const TextField = ({ label, help, error, ...input }: Frame & ComponentProps<'input'>) => (
  <Field label={label} help={help} error={error}>
    {(ties) => <input {...input} {...ties} className={box} />}
  </Field>
);

export const AreaField = ({ label, help, error, ...area }: Frame & ComponentProps<'textarea'>) => (
  <Field label={label} help={help} error={error}>
    {(ties) => <textarea rows={4} {...area} {...ties} className={`${box} font-mono text-sm`} />}
  </Field>
);

/** A form that the page itself sends. */
type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & { onSend(typed: FormData): void };

export function Form({ onSend, ...form }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSend(new FormData(event.currentTarget));
  };
  return <form {...form} onSubmit={submit} />;
}

type Choice = { value: string; label: string };

export const Options = ({ of }: { of: readonly Choice[] }) =>
  of.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

type SelectProps = Frame & Omit<ComponentProps<'select'>, 'children'> & { choices: readonly Choice[] };

export const SelectField = ({ label, help, error, choices, ...select }: SelectProps) => (
  <Field label={label} help={help} error={error}>
    {(ties) => (
      <select {...select} {...ties} className={box}>
        <Options of={choices} />
      </select>
    )}
  </Field>
);

export function CheckField({ label, help, error, ...input }: Frame & ComponentProps<'input'>) {
  const ties = useTies({ help, error });
  return (
    <div className="flex items-start gap-2">
      <input {...input} {...ties} type="checkbox" className="mt-1" />
      <div>
        <label htmlFor={ties.id}>{label}</label>
        <Notes error={error} help={help} id={ties.id} />
      </div>
    </div>
  );
}

/** The API's fault for one field: by its path, such as `retry` or `recipients.3.phone`. */
export function issueAt(problem: Problem | null | undefined, path: string): string | undefined {
  const found = problem?.issues.filter((issue) => isAt(issue, path)) ?? [];
  return found.length > 0 ? found.map(({ message }) => message).join('; ') : undefined;
}

const isAt = (issue: Issue, path: string): boolean =>
  issue.path === path || issue.path.startsWith(`${path}.`);

/** The API's faults that belong to none of the fields shown. */
export function FormProblem({ problem, fields }: { problem: Problem | null; fields: readonly string[] }) {
  if (!problem) return null;
  const isElsewhere =
    problem.issues.length === 0 ||
    problem.issues.some((issue) => !fields.some((field) => isAt(issue, field)));
  return isElsewhere && <Trouble problem={problem} />;
}
