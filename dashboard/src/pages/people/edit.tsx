import { useState } from 'react';
import { Problem } from '../../api/ask.ts';
import type { Person } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { AreaField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { useForm } from '../../kit/use-fields.ts';
import { AskFirst, Opens } from '../../shell/opens.tsx';

/** The fields of a person that may be changed, also while the campaign runs: for attempts not yet planned. */
type RowProps = { campaign: string; person: Person };

/** Changes the row, or takes it off the list, while that is not too late: the API says so where it is. */
export function ListActs({ campaign, person }: RowProps) {
  const isFree = ['waiting', 'queued', 'parked'].includes(person.state);
  return (
    <>
      <Opens
        words={person.attempts.length === 0 ? 'Change phone or name' : 'Change name or data'}
        may="operate"
      >
        {(close) => <EditPerson campaign={campaign} person={person} onClose={close} />}
      </Opens>
      {isFree && <RemovePerson campaign={campaign} person={person} />}
    </>
  );
}

function EditPerson({ campaign, person, onClose }: RowProps & { onClose(): void }) {
  const { phone, name, attempts, variables, input } = person;
  const [unreadable, setUnreadable] = useState<Problem | null>(null);
  const timezone = typeof input?.timezone === 'string' ? input.timezone : '';
  const before = {
    name: name ?? '',
    phone: phone ?? '',
    timezone,
    agent: '',
    variables: JSON.stringify(variables ?? {}, null, 2),
  };
  const change = useAct('PATCH /api/campaigns/{id}/recipients/{rid}', {
    done: () => 'Changed: it holds for their next call.',
    onDone: onClose,
    quiet: true,
  });
  const { isPending } = change;
  const { typed, field, frame } = useForm(before, { isPending, error: unreadable ?? change.error });
  const send = () => {
    const text = (field: keyof typeof typed) => typed[field].trim();
    setUnreadable(null);
    const body: Parameters<typeof change.run>[0]['body'] = {};
    if (text('name') !== before.name) body.name = text('name') || null;
    if (attempts.length === 0 && text('phone') !== before.phone) body.phone = text('phone');
    if (text('timezone') !== before.timezone) body.timezone = text('timezone') || null;
    if (text('agent') !== '') body.agent = text('agent');
    if (text('variables') !== before.variables) {
      const changed = variablesOf(text('variables'), variables ?? {});
      if (changed === null) return setUnreadable(notJson());
      body.variables = changed;
    }
    if (Object.keys(body).length > 0) change.run({ params: { id: campaign, rid: person.id }, body });
    else onClose();
  };
  return (
    <FormDialog
      title={`Change ${name ?? 'this person'} in ${campaign}`}
      onClose={onClose}
      act="Change 1 person"
      onSend={send}
      {...frame}
    >
      <TextField label="Name" {...field('name')} />
      <TextField
        label="Phone"
        {...field('phone')}
        disabled={attempts.length > 0}
        help={attempts.length > 0 ? 'It stays: they were tried on it.' : undefined}
      />
      <TextField label="Time zone" {...field('timezone')} placeholder="America/Chicago" />
      <TextField label="Another agent" {...field('agent')} placeholder="as now" />
      <AreaField
        label="Variables of the next call"
        {...field('variables')}
        help="JSON. One that is left out is removed."
      />
    </FormDialog>
  );
}

function RemovePerson({ campaign, person }: RowProps) {
  const remove = useAct('DELETE /api/campaigns/{id}/recipients/{rid}', {
    done: () => 'One person is taken off the list.',
    quiet: true,
  });
  return (
    <AskFirst
      words="Take off the list"
      may="operate"
      title="Take this person off the list?"
      act="Take 1 person off the list"
      of={remove}
      onAct={() => remove.mutateAsync({ params: { id: campaign, rid: person.id } })}
    >
      They are not called any more by this campaign. The records of their earlier calls stay.
    </AskFirst>
  );
}

/** The variables to set, and null for those that were left out; null where it is not an object. */
function variablesOf(text: string, before: Record<string, unknown>): Record<string, unknown> | null {
  try {
    const typed: unknown = JSON.parse(text);
    if (typeof typed !== 'object' || typed === null || Array.isArray(typed)) return null;
    const removed = Object.keys(before).filter((name) => !(name in typed));
    return { ...typed, ...Object.fromEntries(removed.map((name) => [name, null])) };
  } catch {
    return null;
  }
}

function notJson(): Problem {
  const message = 'must be JSON such as {"city": "Boston"}';
  return new Problem({ detail: message, issues: [{ path: 'variables', message }] }, 0, null);
}
