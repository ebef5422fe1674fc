import { useState } from 'react';
import type { BodyOf } from '../../api/ask.ts';
import { useAct } from '../../data/queries.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { useForm } from '../../kit/use-fields.ts';
import { count, counted } from '../../kit/words.ts';

/** Settles many unknown attempts at once, or all of a campaign, by what a person has found out. */
export type Target = { n: number } & Pick<BodyOf<'POST /api/unknown/resolve'>, 'attempts' | 'campaign'>;
type SettleProps = { of: Target; onClose(): void; onSettled(): void };

const choices = [
  [
    'not-called',
    'No: nobody was called by any of them',
    'They wait again and are called again. Those that the service accepted, and those whose request may still be on its way, are passed over.',
  ],
  [
    'called',
    'Yes: each of them was made',
    'They are done. Where the service has a record, it settles the call.',
  ],
] as const;

export function SettleDialog({ of: { n, ...which }, onClose, onSettled }: SettleProps) {
  const [as, setAs] = useState<'called' | 'not-called' | null>(null);
  const settle = useAct('POST /api/unknown/resolve', { quiet: true, onDone: onSettled });
  const form = useForm({ reason: '' }, settle);
  const people = counted(n, 'person', 'people');
  if (settle.data) {
    const { resolved, matched, failed } = settle.data;
    return (
      <Dialog open onClose={onClose} title={`${counted(resolved, 'call is', 'calls are')} settled`}>
        <p role="status">
          {count(resolved)} of {count(matched)} were settled.
        </p>
        <ul className="mt-2 max-h-60 space-y-1 overflow-y-auto text-quiet empty:hidden">
          {[...new Set(failed.map(({ detail }) => detail))].map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
        </ul>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={`Were these ${count(n)} calls made?`}
      onClose={onClose}
      act={`Settle ${people}`}
      keep="Keep as it is"
      isEmpty={as === null}
      onSend={() => as && settle.run({ body: { as, ...form.given(), ...which } })}
      {...form.frame}
    >
      {choices.map(([value, title, follows]) => (
        <label key={value} className="flex items-start gap-3">
          <input
            type="radio"
            name="finding"
            checked={value === as}
            onChange={() => setAs(value)}
            className="mt-1"
          />
          <span>
            <span className="block font-medium">{title}</span>
            <span className="block text-sm text-quiet">{follows}</span>
          </span>
        </label>
      ))}
      <TextField
        label="How it was found out"
        help="Kept in the history of each person."
        {...form.field('reason')}
      />
    </FormDialog>
  );
}
