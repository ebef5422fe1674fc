import { type ReactNode, useId } from 'react';
import type { Problem } from '../api/ask.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form, FormProblem } from './field.tsx';

/** A dialog with fields: Enter or its main act sends them, and what is wrong stands at a field or below. */
type FormDialogProps = {
  title: string;
  onClose(): void;
  act: string;
  /** What closes it says what stays. */
  keep?: string;
  danger?: boolean;
  wide?: boolean;
  onSend(): void;
  busy: boolean;
  isEmpty?: boolean;
  problem: Problem | null;
  /** The fields that show their own problems. */
  fields?: readonly string[];
  children: ReactNode;
};

export function FormDialog(props: FormDialogProps) {
  const { title, onClose, act, keep = 'Close', onSend, busy, isEmpty = false, problem } = props;
  const form = useId();
  return (
    <Dialog
      onClose={onClose}
      locked={busy}
      title={title}
      wide={props.wide ?? false}
      acts={
        <>
          <Button onClick={onClose} disabled={busy}>
            {keep}
          </Button>
          <Button
            type="submit"
            form={form}
            kind={props.danger ? 'danger' : 'main'}
            disabled={isEmpty}
            busy={busy}
          >
            {act}
          </Button>
        </>
      }
    >
      <Form id={form} onSend={() => !busy && !isEmpty && onSend()} className="space-y-3" noValidate>
        {props.children}
        <FormProblem problem={problem} fields={props.fields ?? []} />
      </Form>
    </Dialog>
  );
}
