import { useState } from 'react';
import type { FoundPerson } from '../../api/description.ts';
import { useAct } from '../../api/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { FormProblem } from '../../kit/field.tsx';
import { counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';

/** Erases a person from every campaign: only for an admin, and only after it was said what is lost. */
type EraseProps = { phone: string; rows: readonly FoundPerson[]; onErased(): void };

export function EraseAct({ phone, rows, onErased }: EraseProps) {
  const may = useMay('admin');
  const [open, setOpen] = useState(false);
  const erase = useAct('POST /api/erase', {
    done: ({ campaigns, pending }) =>
      pending
        ? 'The rest is erased when the call has ended.'
        : `The person is erased from ${counted(campaigns, 'campaign')}.`,
    onDone: () => {
      setOpen(false);
      onErased();
    },
    quiet: true,
  });
  if (!may) return null;
  const campaigns = counted(new Set(rows.map(({ campaign }) => campaign)).size, 'campaign');
  return (
    <>
      <Button onClick={() => setOpen(true)}>Erase</Button>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        title={`Erase ${phone}?`}
        act={`Erase 1 person from ${campaigns}`}
        danger
        onAct={() => erase.run({ body: { phone } })}
        busy={erase.isPending}
      >
        <p>
          Phone, name, input, transcripts, recordings’ links, structured data and history are lost in{' '}
          {campaigns}. This cannot be undone. A call in progress is hung up, where the service can.
        </p>
        <p>
          States, outcomes, attempts and costs stay, so that every report is as it was. Nobody calls this
          person again, whatever list has the number.
        </p>
        <FormProblem problem={erase.error} fields={[]} />
      </Confirm>
    </>
  );
}
