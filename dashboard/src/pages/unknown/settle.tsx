import { useState } from 'react';
import type { AnswerOf } from '../../api/ask.ts';
import type { Unknown } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { CheckField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { useFields } from '../../kit/use-fields.ts';
import { classes, count, counted } from '../../kit/words.ts';

/** The facts about an unknown attempt that are needed to ask a person about it. */
export type Doubt = {
  attempt: string;
  callId: string | null;
  /** The service began to answer that it made the call. */
  wasAccepted: boolean;
};

type Known = Pick<Unknown, 'attempt' | 'call_id' | 'reason'>;
export const doubtOf = ({ attempt, call_id: callId, reason }: Known): Doubt => ({
  attempt,
  callId,
  wasAccepted: reason === 'accepted',
});

/** What a person may have found out about unknown attempts. */
export type Finding = 'not-called' | 'called';

/** Settles one unknown attempt, many, or all of a campaign, by what a person has found out. */
export type Target = { attempts: readonly Doubt[] } | { campaign: string; n: number };

type SettleProps = {
  of: Target;
  /** The finding that is chosen to begin with. */
  finding?: Finding;
  onClose(): void;
  onSettled?: (() => void) | undefined;
};

export function SettleDialog({ of, finding, onClose, onSettled }: SettleProps) {
  const [as, setAs] = useState<Finding | null>(finding ?? null);
  const [insists, setInsists] = useState(false);
  const { settle, problem, isBusy, told } = useSettle(of, { onClose, onSettled });
  const { typed, field } = useFields({ call_id: '', reason: '' }, problem);
  if (told) return <SettleResult told={told} onClose={onClose} />;

  const n = 'attempts' in of ? of.attempts.length : of.n;
  const one = onlyOne(of);
  const isMade = one !== null && one.callId !== null;
  const people = counted(n, 'person', 'people');
  const notCalled = isMade
    ? 'The service accepted this call, so it was made.'
    : one
      ? 'The person waits again and is called again; the attempt does not count.'
      : 'They wait again and are called again; these attempts do not count. Those that the service accepted, and those whose request may still be on its way, are passed over.';
  const called = `${one ? 'The row is' : 'The rows are'} done. Where the service has a record, it settles the call.`;
  const choices: readonly (readonly [Finding, title: string, follows: string])[] = [
    ['not-called', one ? 'No: nobody was called' : 'No: nobody was called by any of them', notCalled],
    ['called', one ? 'Yes: the call was made' : 'Yes: each of them was made', called],
  ];
  return (
    <FormDialog
      title={'campaign' in of ? `Settle all ${count(n)} unknown of ${of.campaign}` : `Settle ${people}`}
      onClose={onClose}
      act={`Settle ${people}`}
      keep="Keep as it is"
      isEmpty={as === null}
      onSend={() => as && settle({ as, callId: typed.call_id.trim(), reason: typed.reason.trim(), insists })}
      busy={isBusy}
      problem={problem}
      fields={['call_id', 'reason']}
    >
      <fieldset className="space-y-2">
        <legend className="mb-2">
          {one ? 'Was this call made?' : `Were these ${count(n)} calls made?`} Look at the service first.
        </legend>
        {choices.map(([value, title, follows]) => (
          <label
            key={value}
            className={classes(
              'flex items-start gap-3 rounded-md border px-3 py-2',
              value === as ? 'border-accent bg-accent-soft' : 'border-line-strong',
            )}
          >
            <input
              type="radio"
              name="finding"
              checked={value === as}
              disabled={isMade && value === 'not-called'}
              onChange={() => setAs(value)}
              className="mt-1"
            />
            <span>
              <span className="block font-medium">{title}</span>
              <span className="block text-sm text-quiet">{follows}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {one && as === 'called' && !isMade && (
        <TextField
          label="Call id at the service"
          help="If you found the call there. Its record is fetched, and settles the attempt."
          autoComplete="off"
          {...field('call_id')}
        />
      )}
      <TextField
        label="How it was found out"
        help={`Kept in the history of ${n === 1 ? 'the person' : 'each person'}.`}
        {...field('reason')}
      />
      {as === 'not-called' && (one === null || one.wasAccepted) && (
        <CheckField
          label="Also where the service began to answer that it made the call"
          help="Such a call was surely made: the person would be called a second time."
          checked={insists}
          onChange={(event) => setInsists(event.target.checked)}
        />
      )}
    </FormDialog>
  );
}

const onlyOne = (of: Target) => ('attempts' in of && of.attempts.length === 1 ? of.attempts[0]! : null);

type Found = { as: Finding; callId: string; reason: string; insists: boolean };
type Settlement = AnswerOf<'POST /api/unknown/resolve'>;

function useSettle(of: Target, { onClose, onSettled }: Omit<SettleProps, 'of'>) {
  const [told, setTold] = useState<Settlement | null>(null);
  const one = useAct('POST /api/unknown/{attempt}/resolve', {
    quiet: true,
    done: ({ recipient_state: state }) => `Settled: the person is ${state}.`,
    onDone: () => {
      onSettled?.();
      onClose();
    },
  });
  const many = useAct('POST /api/unknown/resolve', {
    quiet: true,
    onDone: (answer) => {
      onSettled?.();
      setTold(answer);
    },
  });
  const settle = ({ as, callId, reason, insists }: Found) => {
    const force = as === 'not-called' && insists ? { force: true as const } : {};
    const why = { ...(reason === '' ? {} : { reason }), ...force };
    const only = onlyOne(of);
    if (only) {
      const call = as === 'called' && callId !== '' ? { call_id: callId } : {};
      one.run({ params: { attempt: only.attempt }, body: { as, ...why, ...call } });
    } else if ('campaign' in of) many.run({ body: { as, ...why, campaign: of.campaign } });
    else many.run({ body: { as, ...why, attempts: of.attempts.map(({ attempt }) => ({ attempt })) } });
  };
  return { settle, told, problem: one.error ?? many.error, isBusy: one.isPending || many.isPending };
}

const mostReasons = 5;

/** The outcome for many that were settled at once: how many were, and why others were not. */
function SettleResult({
  told: { matched, resolved, failed, as },
  onClose,
}: {
  told: Settlement;
  onClose(): void;
}) {
  const reasons = new Map<string, number>();
  for (const { detail } of failed) reasons.set(detail, (reasons.get(detail) ?? 0) + 1);
  const shown = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, mostReasons);
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${counted(resolved, 'attempt')} settled as ${as === 'called' ? 'called' : 'not called'}`}
    >
      <p role="status">
        {count(resolved)} of {count(matched)} were settled.
        {failed.length > 0 && ` ${count(failed.length)} stay unknown:`}
      </p>
      <ul className="mt-2 space-y-1 empty:hidden">
        {shown.map(([detail, n]) => (
          <li key={detail}>
            <span className="font-medium">{count(n)}</span> {detail}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
