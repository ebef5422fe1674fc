import { useId } from 'react';
import type { Problem } from '../api/ask.ts';
import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { Form, FormProblem } from './field.tsx';

/** A dialog with fields: Enter or its main act sends them, and what is wrong stands at a field or below. */
type FormDialogProps = Omit<DialogProps, 'acts' | 'locked'> & {
  act: string;
  /** What closes it says what stays. */
  keep?: string;
  danger?: boolean;
  onSend(): void;
  busy: boolean;
  isEmpty?: boolean;
  problem: Problem | null;
  fields?: readonly string[];
};

export function FormDialog(props: FormDialogProps) {
  const { act, keep = 'Close', danger, onSend, busy, isEmpty, problem, fields = [], ...dialog } = props;
  const form = useId();
  return (
    <Dialog
      {...dialog}
      locked={busy}
      acts={
        <>
          <Button onClick={dialog.onClose} disabled={busy}>
            {keep}
          </Button>
          <Button type="submit" form={form} kind={danger ? 'danger' : 'main'} disabled={isEmpty} busy={busy}>
            {act}
          </Button>
        </>
      }
    >
      <Form id={form} onSend={() => !busy && !isEmpty && onSend()} className="space-y-3" noValidate>
        {dialog.children}
        <FormProblem problem={problem} fields={fields} />
      </Form>
    </Dialog>
  );
}
