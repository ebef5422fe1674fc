import { useState } from 'react';
import { useAct } from '../../data/queries.ts';
import { CheckField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { useFields } from '../../kit/use-fields.ts';
import { count, counted } from '../../kit/words.ts';
import type { Doubt } from './doubt.ts';
import { type Finding, Findings } from './findings.tsx';
import { type Settlement, SettleResult } from './settled.tsx';

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

  const n = numberOf(of);
  const one = onlyOne(of);
  const mustInsist = as === 'not-called' && (one === null || one.wasAccepted);
  const people = counted(n, 'person', 'people');
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
      <Findings n={n} chosen={as} onChoose={setAs} wasAccepted={one !== null && one.callId !== null} />
      {one && as === 'called' && one.callId === null && (
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
      {mustInsist && (
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

const numberOf = (of: Target) => ('attempts' in of ? of.attempts.length : of.n);
const onlyOne = (of: Target) => ('attempts' in of && of.attempts.length === 1 ? of.attempts[0]! : null);

type Found = { as: Finding; callId: string; reason: string; insists: boolean };

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
