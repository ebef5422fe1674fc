import { type ReactNode, useState } from 'react';
import type { BodyOf } from '../../../api/ask.ts';
import { useDialogAct, useDryRun } from '../../../data/queries.ts';
import { Dialog } from '../../../kit/dialog.tsx';
import { Trouble } from '../../../kit/empty.tsx';
import { CheckField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { count, counted } from '../../../kit/words.ts';
import { BulkProgress, Passed } from './follow.tsx';

/** An act on everyone whom a filter finds: counted with whom it can be done to, confirmed, followed to its end. */
export type BulkBody = BodyOf<'POST /api/bulk'>;

type BulkDialogProps = {
  title: string;
  /** `Skip`; the number of people follows it. */
  verb: string;
  danger?: boolean;
  /** The words on what happens to them. */
  children: ReactNode;
  /** Null while nobody is chosen. */
  body: BulkBody | null;
  /** Fields that are sent with it and do not change who is meant. */
  more?: object;
  onClose(): void;
};

export function BulkDialog({ title, verb, danger, children, body: given, more, onClose }: BulkDialogProps) {
  const [id, setId] = useState<string | null>(null);
  const [now, setNow] = useState(false);
  const body = now && given?.act === 'retry' ? { ...given, now } : given;
  const asked = body && id === null ? { body: { ...body, dry_run: true } } : null;
  const counting = useDryRun('POST /api/bulk', asked);
  const found = body && counting.data && 'able' in counting.data ? counting.data : null;
  const begin = useDialogAct('POST /api/bulk', (act) => 'id' in act && setId(act.id));
  if (id !== null) {
    return (
      <Dialog onClose={onClose} title={title}>
        <BulkProgress id={id} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      act={found ? `${verb} ${counted(found.able, 'person', 'people')}` : verb}
      keep="Keep as it is"
      danger={danger ?? false}
      onSend={() => begin.run({ body: { ...body!, ...more, confirm: found!.people } })}
      busy={begin.isPending}
      isEmpty={!found?.able}
      problem={begin.error}
    >
      {children}
      <div aria-live="polite">
        <p className="font-medium">
          {body === null ? 'Nobody is chosen yet.' : found ? foundText(found) : 'Counting …'}
        </p>
        {found && <Passed passed={found.passed} />}
      </div>
      {(now || (found?.passed.later ?? 0) > 0) && (
        <CheckField
          label="Also those who wait for another attempt: now, instead of at its time"
          help="Their hours and the contact rules hold as ever."
          checked={now}
          onChange={(event) => setNow(event.currentTarget.checked)}
        />
      )}
      {counting.error && <Trouble problem={counting.error} retry={() => void counting.refetch()} />}
    </FormDialog>
  );
}

function foundText({ people, able }: { people: number; able: number }): string {
  const who = `${counted(people, 'person', 'people')} found`;
  if (people === 0 || able === people) return `${who}.`;
  return able === 0
    ? `${who}, and it can be done for none of them.`
    : `${who}; it can be done for ${count(able)}.`;
}
