import type { Person } from '../../api/description.ts';
import { useDialogAct } from '../../data/queries.ts';
import { AreaField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { readJson } from '../../kit/json.ts';
import { useForm } from '../../kit/use-fields.ts';

/** The fields of a person that may be changed, also while the campaign runs: for attempts not yet planned. */
type EditProps = { campaign: string; person: Person; onClose(): void };

export function EditPerson({ campaign, person, onClose }: EditProps) {
  const { phone, name, attempts, variables, input } = person;
  const change = useDialogAct(
    'PATCH /api/campaigns/{id}/recipients/{rid}',
    onClose,
    () => 'Changed: it holds for their next call.',
  );
  const before = {
    name: name ?? '',
    phone: phone ?? '',
    timezone: typeof input?.timezone === 'string' ? input.timezone : '',
    variables: JSON.stringify(variables ?? {}, null, 2),
  };
  const { typed, field, frame } = useForm(before, change);
  const given = variablesOf(typed.variables, variables ?? {});
  const send = () => {
    const is = (field: keyof typeof before) => typed[field].trim() !== before[field];
    change.run({
      params: { id: campaign, rid: person.id },
      body: {
        ...(is('name') && { name: typed.name.trim() || null }),
        ...(is('phone') && { phone: typed.phone.trim() }),
        ...(is('timezone') && { timezone: typed.timezone.trim() || null }),
        ...(is('variables') && given && { variables: given }),
      },
    });
  };
  return (
    <FormDialog
      title={`Change ${name ?? 'this person'} in ${campaign}`}
      onClose={onClose}
      act="Change 1 person"
      onSend={send}
      isEmpty={given === null}
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
      <AreaField
        label="Variables of the next call"
        {...field('variables')}
        error={given ? field('variables').error : 'must be JSON such as {"city": "Boston"}'}
        help="JSON. One that is left out is removed."
      />
    </FormDialog>
  );
}

/** The variables to set, and null for those that were left out; null where it is not an object. */
function variablesOf(text: string, before: Record<string, unknown>): Record<string, unknown> | null {
  const typed = readJson(text);
  if (typeof typed !== 'object' || typed === null || Array.isArray(typed)) return null;
  const removed = Object.keys(before).filter((name) => !(name in typed));
  return { ...typed, ...Object.fromEntries(removed.map((name) => [name, null])) };
}
