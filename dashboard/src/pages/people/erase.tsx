import type { FoundPerson } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { phoneText } from '../../kit/phone.tsx';
import { counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { AskFirst } from '../../shell/opens.tsx';

/** Erases a person from every campaign, apart from the other acts: only for an admin, and only after it was said what is lost. */
type EraseProps = { phone: string; rows: readonly FoundPerson[]; onErased(): void };

export function EraseAct({ phone, rows, onErased }: EraseProps) {
  const may = useMay('admin');
  const erase = useAct('POST /api/erase', {
    done: ({ campaigns, pending }) =>
      pending
        ? 'The rest is erased when the call has ended.'
        : `The person is erased from ${counted(campaigns, 'campaign')}.`,
    onDone: onErased,
    quiet: true,
  });
  if (!may) return null;
  const campaigns = counted(new Set(rows.map(({ campaign }) => campaign)).size, 'campaign');
  return (
    <section
      aria-label="Erase this person"
      className="mt-10 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t border-line pt-2 text-sm text-quiet"
    >
      <p className="min-w-0 flex-1 basis-64">
        Where the law asks for it, a person is erased: name, phone and what was said are lost for good. To
        stop calls only, suppress the person.
      </p>
      <AskFirst
        words="Erase for good"
        may="admin"
        kind="quiet"
        title={`Erase ${phoneText(phone)}?`}
        act={`Erase 1 person from ${campaigns}`}
        of={erase}
        onAct={() => erase.mutateAsync({ body: { phone } })}
      >
        <p>
          Phone, name, input, transcripts, recordings’ links, structured data and history are lost in{' '}
          {campaigns}. This cannot be undone. A call in progress is hung up, where the service can.
        </p>
        <p>
          States, outcomes, attempts and costs stay, so that every report is as it was. Nobody calls this
          person again, whatever list has the number.
        </p>
      </AskFirst>
    </section>
  );
}
