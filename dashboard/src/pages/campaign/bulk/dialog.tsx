import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type AnswerOf, ask, type BodyOf, type Problem } from '../../../api/ask.ts';
import { useAct } from '../../../api/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Trouble } from '../../../kit/empty.tsx';
import { FormProblem } from '../../../kit/field.tsx';
import { counted } from '../../../kit/words.ts';
import { BulkProgress } from './follow.tsx';

/** An act on everyone whom a filter finds: counted, confirmed with that number, followed to its end. */
export type BulkBody = BodyOf<'POST /api/bulk'>;

type BulkDialogProps = {
  title: string;
  /** `Skip`; the number of people follows it. */
  verb: string;
  danger?: boolean;
  /** What happens to them. */
  children: ReactNode;
  /** Null while nobody is chosen. */
  body: BulkBody | null;
  /** What is sent with it and does not change who is meant. */
  more?: object;
  onClose(): void;
};

export function BulkDialog({ title, verb, danger, children, body, more, onClose }: BulkDialogProps) {
  const [id, setId] = useState<string | null>(null);
  const counting = useQuery<AnswerOf<'POST /api/bulk'>, Problem>({
    queryKey: ['bulk count', body],
    queryFn: ({ signal }) => ask('POST /api/bulk', { body: { ...body!, dry_run: true }, signal }),
    enabled: body !== null && id === null,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const people = body && counting.data ? counting.data.people : null;
  const begin = useAct('POST /api/bulk', {
    onDone: (act) => 'id' in act && setId(act.id),
    quiet: true,
  });
  if (id !== null) {
    return (
      <Dialog open onClose={onClose} title={title} acts={<Button onClick={onClose}>Close</Button>}>
        <BulkProgress id={id} />
        <p className="mt-3 text-sm text-quiet">It continues when this is closed; Activity has it.</p>
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      held={begin.isPending}
      acts={
        <>
          <Button onClick={onClose} disabled={begin.isPending}>
            Keep as it is
          </Button>
          <Button
            kind={danger ? 'danger' : 'main'}
            busy={begin.isPending}
            disabled={!people}
            onClick={() => begin.run({ body: { ...body!, ...more, confirm: people! } })}
          >
            {people === null ? verb : `${verb} ${counted(people, 'person', 'people')}`}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        {children}
        <p aria-live="polite" className="font-medium">
          {body === null
            ? 'Nobody is chosen yet.'
            : people === null
              ? counting.error
                ? 'They could not be counted.'
                : 'Counting …'
              : `${counted(people, 'person', 'people')} found.`}
        </p>
        {counting.error && <Trouble problem={counting.error} retry={() => void counting.refetch()} />}
        <FormProblem problem={begin.error} fields={[]} />
      </div>
    </Dialog>
  );
}
