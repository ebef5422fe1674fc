import { useState } from 'react';
import { useDialogAct, useDryRun } from '../../data/queries.ts';
import { SelectField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { count, counted } from '../../kit/words.ts';

/** How long what people said is kept: chosen here, where the environment does not say it. */
const choices = [null, 30, 90, 180, 365, 730];
/** The API counts no further. */
const mostCounted = 100_000;

export function KeepDialog({ days, onClose }: { days: number | null; onClose(): void }) {
  const [chosen, setChosen] = useState<number | null>(days ?? 90);
  const counting = useDryRun('PUT /api/keep', { body: { days: chosen, dry_run: true } });
  const set = useDialogAct(
    'PUT /api/keep',
    onClose,
    (now) =>
      `What people said is kept ${now.days === null ? 'for ever' : `for ${counted(now.days, 'day')}`}.`,
  );
  const people = counting.data?.people;
  return (
    <FormDialog
      title="How long is what people said kept?"
      onClose={onClose}
      act={people ? `Keep it so, and erase ${count(people)}` : 'Keep it so'}
      keep="Leave it as it is"
      danger={Boolean(people)}
      onSend={() => set.run({ body: { days: chosen, confirm: people! } })}
      busy={set.isPending}
      isEmpty={people === undefined || chosen === days}
      problem={counting.error ?? set.error}
    >
      <p>
        Names, transcripts, links of recordings and what was learned are erased that long after a person’s row
        has ended. The phone, the outcome and the cost stay, so nobody is called twice.
      </p>
      <SelectField
        label="Kept"
        value={chosen ?? ''}
        choices={[...new Set([...choices, days])].map((each) => ({
          value: String(each ?? ''),
          label: each === null ? 'for ever' : counted(each, 'day'),
        }))}
        onChange={({ currentTarget: { value } }) => setChosen(value === '' ? null : Number(value))}
      />
      <p className="font-medium" aria-live="polite">
        {people === undefined
          ? 'Counting …'
          : people === 0
            ? 'Nothing that is stored is older: nothing is erased now.'
            : `What ${counted(people, 'person', 'people')}${people < mostCounted ? '' : ' or more'} said is older and is erased now. It cannot be brought back.`}
      </p>
    </FormDialog>
  );
}
