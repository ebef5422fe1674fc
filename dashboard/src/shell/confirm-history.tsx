import { useState } from 'react';
import type { AnswerOf } from '../api/ask.ts';
import { useAct, useAsk } from '../data/queries.ts';
import { Dialog } from '../kit/dialog.tsx';
import { Read } from '../kit/empty.tsx';
import { issueAt, TextField } from '../kit/field.tsx';
import { FormDialog } from '../kit/form-dialog.tsx';
import { localTimeOf } from '../kit/local-time.ts';
import { Time } from '../kit/time.tsx';
import { count, counted } from '../kit/words.ts';

/** A person's word about lost history: people who may have been called since become unknown, and calls continue. */
type ShownLedger = AnswerOf<'GET /api/ledger'>;
type Confirmed = AnswerOf<'POST /api/ledger/confirm'>;

export function ConfirmHistory({ onClose }: { onClose(): void }) {
  const ledger = useAsk('GET /api/ledger', {});
  const [told, setTold] = useState<Confirmed | null>(null);
  if (told) return <Told told={told} onClose={onClose} />;
  if (ledger.data) return <Question ledger={ledger.data} onClose={onClose} onDone={setTold} />;
  return (
    <Dialog onClose={onClose} title="Confirm the history?">
      <Read of={ledger} lines={3} />
    </Dialog>
  );
}

type QuestionProps = { ledger: ShownLedger; onClose(): void; onDone(told: Confirmed): void };

function Question({ ledger, onClose, onDone }: QuestionProps) {
  // A history that is there up to a time is missing from then on.
  const [from, setFrom] = useState(() => localTimeOf(ledger.known_until ?? undefined, 'second'));
  const query = from === '' ? {} : { lost_since: new Date(from).toISOString() };
  const found = useAsk('GET /api/ledger/confirm', { query }, { everyMs: 5_000 });
  const confirm = useAct('POST /api/ledger/confirm', { onDone, quiet: true });
  const people = found.data?.people ?? 0;
  return (
    <FormDialog
      title="Confirm the history?"
      onClose={onClose}
      act={people > 0 ? `Confirm, and mark ${counted(people, 'person', 'people')}` : 'Confirm'}
      keep="Call nobody yet"
      danger
      isEmpty={!found.data}
      onSend={() => confirm.run({ body: query })}
      busy={confirm.isPending}
      problem={confirm.error ?? found.error}
      fields={['lost_since']}
    >
      <Loss of={ledger} />
      <TextField
        label="History is missing since"
        type="datetime-local"
        step={1}
        value={from}
        onChange={(event) => setFrom(event.target.value)}
        help="In your time zone. Everyone whom a campaign would still call becomes unknown. Empty: only those whose calls are noted on the disk of Carillon’s machine."
        error={issueAt(confirm.error ?? found.error, 'lost_since')}
      />
      {found.data && <WhoIsMarked found={found.data} isWide={from !== ''} />}
    </FormDialog>
  );
}

function Loss({ of: { state, why, since, known_until: knownUntil } }: { of: ShownLedger }) {
  if (state === 'sound') return <p>The ledger’s history is whole: there is nothing to confirm.</p>;
  return (
    <>
      <p>{why}. Nobody is called until a person confirms.</p>
      <p className="mt-1 text-quiet">
        {knownUntil && (
          <>
            The history is there up to <Time at={knownUntil} seconds />.{' '}
          </>
        )}
        {since && (
          <>
            The loss was found <Time at={since} />.
          </>
        )}
      </p>
    </>
  );
}

type MarkedProps = { found: AnswerOf<'GET /api/ledger/confirm'>; isWide: boolean };

const WhoIsMarked = ({ found: { people, noted, campaigns }, isWide }: MarkedProps) => (
  <div role="status">
    <p>
      {isWide &&
        (people === 0
          ? 'No campaign has anybody to call.'
          : `${counted(people, 'person becomes', 'people become')} unknown, and ${people === 1 ? 'waits' : 'wait'} for your word.`)}{' '}
      {noted === 0
        ? 'No call is noted on the disk.'
        : `${counted(noted, 'call is', 'calls are')} noted on the disk: those whom the ledger lacks are marked too.`}
    </p>
    {campaigns.length > 0 && (
      <ul className="mt-1 list-disc pl-5 text-quiet">
        {campaigns.slice(0, 8).map(({ id, name, people: some }) => (
          <li key={id} className="wrap-anywhere">
            {name}: {count(some)}
          </li>
        ))}
        {campaigns.length > 8 && <li>{counted(campaigns.length - 8, 'more campaign')}</li>}
      </ul>
    )}
  </div>
);

const Told = ({ told, onClose }: { told: Confirmed; onClose(): void }) => (
  <Dialog
    onClose={onClose}
    title={told.confirmed ? 'The history is confirmed' : 'There was nothing to confirm'}
  >
    <p role="status">
      {told.marked === 0
        ? 'Nobody became unknown.'
        : `${counted(told.marked, 'person is', 'people are')} unknown now: say of each on the Unknown page whether they were called.`}{' '}
      Campaigns stay paused until you resume each.
    </p>
    {told.missing > 0 && (
      <p className="mt-2">
        {counted(told.missing, 'noted call was', 'noted calls were')} to people whom the ledger does not have.{' '}
        {told.held === told.missing
          ? 'One who is imported again is not called, but unknown, until you settle them.'
          : 'Look them up in the service’s log before you import them again.'}
      </p>
    )}
  </Dialog>
);
