import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Campaign } from '../../../api/description.ts';
import { useAct } from '../../../data/queries.ts';
import { CheckField, issueAt, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { counted } from '../../../kit/words.ts';

/** Makes a draft with the same order, and opens it. */
type CloneProps = { campaign: Campaign; onClose(): void };

export function CloneCampaign({ campaign: { id, name, balance }, onClose }: CloneProps) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState(`${name} 2`);
  const [people, setPeople] = useState(false);
  // One key for what is typed: a request that was sent twice makes one draft. The name itself may not stand in a header.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another name or list is another request.
  const key = useMemo(() => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`, [typed, people]);
  const clone = useAct('POST /api/campaigns/{id}/clone', {
    done: (made) => `${made.name} is a draft.`,
    onDone(made) {
      onClose();
      navigate({ to: '/campaigns/$id', params: { id: made.id } }).catch(() => undefined);
    },
    quiet: true,
  });
  return (
    <FormDialog
      title={`Clone ${name}`}
      onClose={onClose}
      act="Make the draft"
      onSend={() => clone.run({ params: { id }, body: { name: typed, people }, idempotencyKey: key })}
      busy={clone.isPending}
      problem={clone.error}
      fields={['name']}
    >
      <TextField
        label="Name of the draft"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={issueAt(clone.error, 'name')}
      />
      <CheckField
        label={`With its list: ${counted(balance.rows, 'row')}, as never called`}
        checked={people}
        onChange={(event) => setPeople(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
