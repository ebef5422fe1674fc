import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import type { Issue, Problem } from '../api/ask.ts';
import { Button, Command } from './basics.tsx';
import { Trouble } from './page.tsx';
import { offWords, silence, useModal } from './store.ts';
import { showToast } from './toast.tsx';
import { classes } from './words.ts';

/** Fields of a form, each with its help and what the API says is wrong with it; and the dialogs that send them. */
const box =
  'w-full rounded-md border border-line-strong bg-card px-2.5 py-1 min-h-[34px] max-sm:min-h-10 aria-invalid:border-bad disabled:opacity-60 file:mr-2.5 file:-ml-1 file:rounded-md file:bg-quiet-soft file:px-2.5';

type Frame = { label: string; help?: ReactNode; error?: ReactNode };

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
  <Field {...{ label, help, error }}>{(ties) => <input {...input} {...ties} className={box} />}</Field>
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

type Act = { isPending: boolean; error: Problem | null };

/** What is typed into the fields of an act, by the API's names, and what their `FormDialog` needs to know of the act. */
export function useForm<Typed extends Record<string, string>>(initial: Typed, act: Partial<Act> = {}) {
  const { isPending: busy = false, error: problem = null } = act;
  const [typed, setTyped] = useState(initial);
  type Name = keyof Typed & string;
  const set = (change: Partial<Typed>) => setTyped((before) => ({ ...before, ...change }));
  const put = (name: Name, value: string) => set({ [name]: value } as unknown as Partial<Typed>);
  const chosen = (name: Name) => typed[name]?.split(' ').filter(Boolean) ?? [];
  return {
    frame: { busy, problem, fields: Object.keys(initial) },
    typed,
    set,
    field: (name: Name, label: string, help?: ReactNode) => ({
      name: name as string,
      label,
      help,
      value: typed[name],
      error: issueAt(problem, name),
      onChange: ({ target }: { target: { value: string } }) => put(name, target.value),
    }),
    chosen,
    /** The props of a box, one of those that a name has or its only one. */
    box: (name: Name, value = 'yes') => ({
      checked: chosen(name).includes(value),
      onChange: ({ target }: { target: { checked: boolean } }) => {
        const others = chosen(name).filter((each) => each !== value);
        put(name, [...others, ...(target.checked ? [value] : [])].join(' '));
      },
    }),
    /** Those that say something, as the API takes them. */
    given(): Partial<Typed> {
      const set = Object.entries(typed).map(([name, value]) => [name, value.trim()] as const);
      return Object.fromEntries(set.filter(([, value]) => value !== '')) as Partial<Typed>;
    },
  };
}

/** A dialog on the browser's own element: it holds the focus, and Escape closes it. */
export type DialogProps = {
  onClose(): void;
  title: string;
  children: ReactNode;
  /** The buttons, the main one last; unless they are told, one that closes it. `keep` has the words of what closes it first. */
  acts?: ReactNode;
  keep?: ReactNode;
  wide?: boolean;
  /** What it asks for can be asked for while nothing answers. */
  always?: boolean;
  /** Escape does not close it while something runs. */
  locked?: boolean;
};

export function Dialog({ onClose, title, children, acts, keep, wide, always, locked }: DialogProps) {
  const element = useModal();
  const isSilent = silence.use() !== null;
  const id = useId();
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!locked) onClose();
      }}
      className={classes(
        'm-auto max-h-[calc(100dvh-2rem)] w-[calc(100%-2rem)] overflow-y-auto rounded-xl border border-line bg-raised p-5 text-left text-base whitespace-normal shadow-float backdrop:bg-black/25',
        wide ? 'max-w-3xl' : 'max-w-lg',
      )}
    >
      <h2 id={id} className="mb-2 text-xl font-semibold tracking-tight">
        {title}
      </h2>
      {children}
      <p role="status" className="mt-3 text-bad empty:hidden">
        {isSilent && !always && offWords}
      </p>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        {keep && (
          <Button onClick={onClose} disabled={locked}>
            {keep}
          </Button>
        )}
        {acts ?? (
          <Button kind="main" onClick={onClose}>
            Close
          </Button>
        )}
      </div>
    </dialog>
  );
}

/**
 * Asks once before an act, with fields or without: Enter in a field or its main act sends it, and what is wrong stands at a
 * field or below. Its text names how many people it concerns.
 */
type FormDialogProps = Omit<DialogProps, 'acts' | 'locked'> & {
  /** The act's own verb: `Pause`, `Cancel 3 campaigns`. */
  act: ReactNode;
  danger?: boolean;
  onSend(): void;
  busy: boolean;
  isEmpty?: boolean;
  problem: Problem | null;
  fields?: readonly string[];
  /** Why there is nothing to ask any more: it closes, and says so. */
  over?: string | false | undefined;
};

export function FormDialog(props: FormDialogProps) {
  const { act, keep = 'Close', danger, onSend, busy, isEmpty, problem, fields = [], over, ...dialog } = props;
  const form = useId();
  useEffect(() => {
    if (!over || busy) return;
    showToast({ kind: 'done', text: over });
    dialog.onClose();
  });
  return (
    <Dialog
      {...dialog}
      locked={busy}
      keep={
        <>
          {keep} <kbd className="key-in-button max-sm:hidden">Esc</kbd>
        </>
      }
      acts={
        <Button
          type="submit"
          form={form}
          kind={danger ? 'danger' : 'main'}
          acts={!dialog.always}
          disabled={isEmpty}
          busy={busy}
        >
          {act}
        </Button>
      }
    >
      <Form id={form} onSend={() => !busy && !isEmpty && onSend()} className="space-y-3" noValidate>
        {dialog.children}
        <FormProblem problem={problem} fields={fields} />
      </Form>
    </Dialog>
  );
}

/** A secret that was just made: it is shown now, and never again. */
type ShownOnceProps = { title: string; secret: string; onClose(): void; children: ReactNode };

export const ShownOnce = ({ title, secret, onClose, children }: ShownOnceProps) => (
  <Dialog
    // Only the button closes it: a text that is lost by a slip cannot be shown again.
    locked
    onClose={onClose}
    title={title}
    acts={
      <Button kind="main" onClick={onClose}>
        I have copied it
      </Button>
    }
  >
    <p className="font-medium text-warn">Copy it now: it is not shown again.</p>
    <Command>{secret}</Command>
    <p className="text-quiet">{children}</p>
  </Dialog>
);
