import { useState } from 'react';
import type { AnswerOf } from '../api/ask.ts';
import { lookAs, looksAs } from '../api/look.ts';
import { useAct, useAsk } from '../data/queries.ts';
import { Button } from '../kit/basics.tsx';
import { CheckField, Dialog, FormDialog, issueAt, TextField, useForm } from '../kit/form.tsx';
import { areKeysOn, switchKeys } from '../kit/keys.ts';
import { Loading, Notice, Read } from '../kit/page.tsx';
import { count, counted, exact, localTimeOf, timeText } from '../kit/words.ts';
import { useNeeds } from './needs.ts';
import { NeedText } from './needs-list.tsx';
import { roleText } from './reads.ts';
import { allPages } from './sidebar.tsx';

/** Resumes what the stop button stopped, and asks once for the reason. */
export function ResumeAll({ onClose }: { onClose(): void }) {
  const found = useAsk('GET /api/resume', {});
  const noRules = useNeeds().items.find(({ id }) => id === 'no rules');
  const [refused, setRefused] = useState<string[]>([]);
  const resume = useAct('POST /api/resume', {
    done: ({ items }) => `${counted(items.length, 'campaign continues', 'campaigns continue')}.`,
    onDone(told) {
      if (told.refused.length === 0) onClose();
      else setRefused(told.refused.map(({ campaign, message }) => `${campaign}: ${message}`));
    },
  });
  const { field, given, frame } = useForm(
    { reason: '' },
    { isPending: resume.isPending, error: found.error },
  );
  const { campaigns = 0, people = 0, names = [] } = found.data ?? {};
  return (
    <FormDialog
      title={`Resume ${counted(campaigns, 'campaign')}?`}
      onClose={onClose}
      act={`Resume: call ${counted(people, 'person', 'people')}`}
      keep="Keep them paused"
      isEmpty={campaigns === 0}
      onSend={() => resume.run({ body: given() })}
      {...frame}
    >
      {found.isPending && <Loading lines={2} />}
      {names.length > 0 && (
        <p>
          {names.slice(0, 8).join(', ')}
          {names.length > 8 && `, and ${names.length - 8} more`}. Campaigns that were paused before stay as
          they are.
        </p>
      )}
      {noRules && (
        <Notice title={noRules.what}>
          <NeedText of={noRules} />
        </Notice>
      )}
      <TextField {...field('reason', 'Why it continues', 'May stay empty; the activity keeps it.')} />
      {refused.map((words) => (
        <p key={words} role="alert" className="text-bad">
          {words}
        </p>
      ))}
    </FormDialog>
  );
}

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
  const { state, why, since, known_until: knownUntil } = ledger;
  // A history that is there up to a time is missing from then on.
  const [from, setFrom] = useState(() => localTimeOf(knownUntil ?? undefined, 'second'));
  const query = from === '' ? {} : { lost_since: new Date(from).toISOString() };
  const found = useAsk('GET /api/ledger/confirm', query, { everyMs: 5_000 });
  const confirm = useAct('POST /api/ledger/confirm', { onDone, quiet: true });
  const { people = 0, campaigns = [], noted = 0 } = found.data ?? {};
  const problem = confirm.error ?? found.error;
  const marked =
    people === 0
      ? 'No campaign has anybody to call. '
      : `${counted(people, 'person becomes', 'people become')} unknown, and ${people === 1 ? 'waits' : 'wait'} for your word. `;
  const named = campaigns.slice(0, 8).map((each) => `${each.name}: ${count(each.people)}`);
  if (campaigns.length > 8) named.push(counted(campaigns.length - 8, 'more campaign'));
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
      problem={problem}
      fields={['lost_since']}
    >
      <p>
        {state === 'sound'
          ? 'The ledger’s history is whole: there is nothing to confirm.'
          : `${why}. Nobody is called until a person confirms.`}
      </p>
      <p className="text-quiet empty:hidden">
        {knownUntil && `The history is there up to ${exact.format(new Date(knownUntil))}. `}
        {since && `The loss was found ${timeText(since)}.`}
      </p>
      <TextField
        label="History is missing since"
        type="datetime-local"
        step={1}
        value={from}
        onChange={(event) => setFrom(event.target.value)}
        help="In your time zone. Everyone whom a campaign would still call becomes unknown. Empty: only those whose calls are noted on the disk of Carillon’s machine."
        error={issueAt(problem, 'lost_since')}
      />
      {found.data && (
        <div role="status">
          <p>
            {from !== '' && marked}
            {noted === 0
              ? 'No call is noted on the disk.'
              : `${counted(noted, 'call is', 'calls are')} noted on the disk: those whom the ledger lacks are marked too.`}
          </p>
          <p className="text-quiet wrap-anywhere">{named.join('; ')}</p>
        </div>
      )}
    </FormDialog>
  );
}

function Told({ told, onClose }: { told: Confirmed; onClose(): void }) {
  const { confirmed, marked, missing, held } = told;
  return (
    <Dialog onClose={onClose} title={confirmed ? 'The history is confirmed' : 'There was nothing to confirm'}>
      <p role="status">
        {marked === 0
          ? 'Nobody became unknown.'
          : `${counted(marked, 'person is', 'people are')} unknown now: say of each on the Unknown page whether they were called.`}{' '}
        Campaigns stay paused until you resume each.
      </p>
      {missing > 0 && (
        <p className="mt-2">
          {counted(missing, 'noted call was', 'noted calls were')} to people whom the ledger does not have.{' '}
          {held === missing
            ? 'One who is imported again is not called, but unknown, until you settle them.'
            : 'Look them up in the service’s log before you import them again.'}
        </p>
      )}
    </Dialog>
  );
}

const keys = [
  ['/', 'search or act; also Ctrl K'],
  ['1–9', 'open what needs you, by its number'],
  ['c', 'new campaign'],
  ['Shift S', 'stop everything; it asks once'],
  ['?', 'show these keys'],
  ['j  k', 'next and previous row of a table, or person of a list'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['f', 'to the filters of a list'],
  ['p  r  t', 'on a campaign: pause, resume, try people again'],
  ['e  s', 'on a campaign: its settings, its results'],
  ['d', 'on its results: download the CSV'],
  ['h', 'on Live calls: hang up'],
  ['s', 'on a person: suppress; it asks once'],
  ['c  n  a', 'on Unknown: called, not called, ask the service'],
  ['f  w  n  o', 'on Listen back: fine, wrong, later, opt out'],
  ['Space', 'play or pause a recording; arrows go 5\u00a0s'],
  ['z', 'undo what is not sent yet'],
  ['Esc', 'close a dialog'],
] as const;

export function HelpDialog({ onClose }: { onClose(): void }) {
  const [on, setOn] = useState(areKeysOn);
  const rows = [...keys, ...allPages.map(({ key, label }) => [`g  ${key}`, label] as const)];
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts" wide>
      <dl className="gap-x-8 sm:columns-2">
        {rows.map(([key, words]) => (
          <div key={key} className="flex break-inside-avoid items-baseline gap-3 py-1">
            <dt className="w-24 shrink-0 whitespace-nowrap">
              {key.split('  ').map((part) => (
                <kbd key={part} className="key mr-1">
                  {part.length === 1 ? part.toUpperCase() : part}
                </kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 border-t border-line pt-3">
        <CheckField
          label="Single keys work"
          help="Switch them off where software types for you. Ctrl K stays."
          checked={on}
          onChange={(event) => {
            switchKeys(event.target.checked);
            setOn(event.target.checked);
          }}
        />
      </div>
    </Dialog>
  );
}

/** Says on every page that an admin looks as another role, and ends that. */
export const Looking = () => (
  <p className="flex flex-wrap items-center justify-center gap-x-3 bg-accent-soft px-4 py-1.5 text-sm">
    You see the page as the role “{roleText(looksAs!)}” does. Your own token may still do everything.
    <Button small onClick={() => lookAs(null)}>
      Be admin again
    </Button>
  </p>
);
