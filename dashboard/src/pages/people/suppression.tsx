import { useState } from 'react';
import type { FoundPerson, Suppression } from '../../api/description.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { CheckField, SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Time, useNow } from '../../kit/time.tsx';
import { useFields } from '../../kit/use-fields.ts';
import { counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { AllowCalls } from '../suppressions/allow.tsx';

/** Whether the person must not be called, and the acts that change it. */
function useSuppressions(phones: string[]) {
  return useAsk('GET /api/suppressions', { query: { phone: phones, limit: 100 } });
}

/** All numbers of the person in these rows. */
function numbersOf(phone: string, rows: readonly FoundPerson[]): string[] {
  const others = rows.flatMap(({ phones }) => phones?.map((each) => each.phone ?? '') ?? []);
  return [...new Set([phone, ...others.filter((each) => each !== '')])];
}

/** Those that hold now; an end that has passed counts no more. */
function inForce(all: readonly Suppression[], now: number): Suppression[] {
  return all.filter(({ until }) => until === null || Date.parse(until) > now);
}

export function Suppressed({ phone, rows }: { phone: string; rows: readonly FoundPerson[] }) {
  const now = useNow();
  const numbers = numbersOf(phone, rows);
  const known = useSuppressions(numbers);
  const stopped = inForce(known.data?.items ?? [], now);
  if (stopped.length === 0) return null;
  return (
    <ul aria-label="Suppressions" className="mb-4 space-y-2">
      {stopped.map(({ phone: number, campaign, until, reason, source, created_at: at }) => (
        <li key={`${number} ${campaign}`} className="rounded-lg border border-warn bg-warn-soft px-4 py-2.5">
          <span className="font-semibold">
            {campaign === null ? 'Must not be called' : `Must not be called by ${campaign}`}
          </span>{' '}
          {numbers.length > 1 && `on ${number} `}
          {until === null ? (
            'for ever'
          ) : (
            <>
              until <Time at={until} />
            </>
          )}
          <span className="text-quiet">
            {' '}
            since <Time at={at} />, {source}
            {reason && `: ${reason}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function SuppressionActs({ phone, rows }: { phone: string; rows: readonly FoundPerson[] }) {
  const may = useMay('operate');
  const now = useNow();
  const numbers = numbersOf(phone, rows);
  const known = useSuppressions(numbers);
  const [dialog, setDialog] = useState<'suppress' | 'allow' | null>(null);
  if (!may || !known.data) return null;
  const everywhere = inForce(known.data.items, now).filter(({ campaign }) => campaign === null);
  const close = () => setDialog(null);
  return (
    <>
      {everywhere.length > 0 ? (
        <Button onClick={() => setDialog('allow')}>Allow calls</Button>
      ) : (
        <Button onClick={() => setDialog('suppress')}>Suppress</Button>
      )}
      {dialog === 'suppress' && <SuppressDialog numbers={numbers} rows={rows} onClose={close} />}
      {dialog === 'allow' && <AllowCalls rows={everywhere} onClose={close} />}
    </>
  );
}

const spans = [
  { value: '', label: 'for ever' },
  { value: '30d', label: 'for 30 days' },
  { value: '90d', label: 'for 90 days' },
  { value: '365d', label: 'for a year' },
];

type SuppressProps = { numbers: string[]; rows: readonly FoundPerson[]; onClose(): void };

function SuppressDialog({ numbers, rows, onClose }: SuppressProps) {
  const [hangUp, setHangUp] = useState(false);
  const isCalling = rows.some(({ state }) => state === 'calling');
  const suppress = useAct('POST /api/suppressions', {
    quiet: true,
    done: ({ skipped }) =>
      `No call to ${numbers.join(' or ')} begins any more; ${counted(skipped, 'row is', 'rows are')} skipped.`,
    onDone: onClose,
  });
  const { field, given } = useFields({ until: '', reason: '', campaign: '' }, suppress.error);
  const send = () =>
    suppress.run({ body: { phones: numbers, ...given(), ...(hangUp ? { hang_up: true } : {}) } });
  const names = [...new Set(rows.map((row) => row.campaign))];
  return (
    <FormDialog
      title="Suppress this person?"
      onClose={onClose}
      act="Suppress 1 person"
      keep="Keep as it is"
      danger
      onSend={send}
      busy={suppress.isPending}
      problem={suppress.error}
      fields={['until', 'reason', 'campaign']}
    >
      <p>
        1 person, {numbers.join(' and ')}: no call to {numbers.length > 1 ? 'these numbers' : 'this phone'}{' '}
        begins any more, and waiting rows are skipped.
      </p>
      <SelectField label="How long" choices={spans} {...field('until')} />
      <SelectField
        label="By whom"
        choices={[
          { value: '', label: 'by every campaign' },
          ...names.map((name) => ({ value: name, label: `only by ${name}` })),
        ]}
        {...field('campaign')}
      />
      <TextField
        label="Reason"
        help="Kept with the suppression, such as: asked for no more calls."
        {...field('reason')}
      />
      {isCalling && (
        <CheckField
          label="Hang up the call in progress too"
          help="The person who is talking now is cut off."
          checked={hangUp}
          onChange={(event) => setHangUp(event.target.checked)}
        />
      )}
    </FormDialog>
  );
}
