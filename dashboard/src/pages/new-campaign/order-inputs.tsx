import type { ReactNode } from 'react';
import { TextField } from '../../kit/field.tsx';
import { OrderControl } from '../../order/control.tsx';
import { fieldsOf, type OrderField, type OrderGroup, type OrderKind } from '../../order/fields.ts';
import { change, type Draft } from './draft.ts';

/** The fields of a group of the order, each by its kind. Every field may stay empty. */
type InputProps = { field: OrderField; draft: Draft };

/** These have a section of their own, where the steps place them. */
const apart: readonly OrderKind[] = ['agents', 'callers', 'window', 'country'];
const inputs: { [K in OrderKind]?: (props: InputProps) => ReactNode } = {
  zone: ZoneInput,
  time: TimeInput,
};
const isWide = ({ kind }: OrderField) => kind === 'retry' || kind === 'json';
const isSwitch = ({ kind }: OrderField) => kind === 'yes';

type GroupProps = {
  group: OrderGroup;
  draft: Draft;
  /** The fields that are shown here; by default all of the group. */
  shows?: (name: string) => boolean;
};

export function OrderInputs({ group, draft, shows = () => true }: GroupProps) {
  const fields = fieldsOf(group).filter(
    ({ name, kind, asked_by }) => asked_by === null && !apart.includes(kind) && shows(name),
  );
  const input = (field: OrderField) => {
    const Input = inputs[field.kind] ?? PlainInput;
    return <Input key={field.name} field={field} draft={draft} />;
  };
  const small = fields.filter((field) => !isWide(field) && !isSwitch(field));
  const switches = fields.filter(isSwitch);
  return (
    <div className="space-y-4">
      {small.length > 0 && <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">{small.map(input)}</div>}
      {fields.filter(isWide).map(input)}
      {switches.length > 0 && <div className="space-y-2">{switches.map(input)}</div>}
    </div>
  );
}

/** The text of a field, and how it changes. */
const textOf = ({ name, label }: OrderField, draft: Draft) => ({
  label,
  value: draft[name] as string,
  error: draft.faults[name],
  onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
});

function PlainInput({ field, draft }: InputProps) {
  return (
    <OrderControl
      field={field}
      text={draft[field.name] as string}
      placeholder={field.empty ?? undefined}
      error={draft.faults[field.name]}
      onChange={(text) => change({ [field.name]: text })}
    />
  );
}

const zones: readonly string[] = Intl.supportedValuesOf?.('timeZone') ?? [];

function ZoneInput({ field, draft }: InputProps) {
  return (
    <div>
      <TextField
        {...textOf(field, draft)}
        list="zones"
        placeholder={field.empty ?? undefined}
        spellCheck={false}
        help={field.help}
      />
      <datalist id="zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  );
}

const viewer = Intl.DateTimeFormat().resolvedOptions().timeZone;

function TimeInput({ field, draft }: InputProps) {
  const { timezone } = draft;
  const where = timezone.trim() === '' ? `In your time zone, ${viewer}.` : `In ${timezone}.`;
  return <TextField {...textOf(field, draft)} type="datetime-local" help={`${where} ${field.help}`} />;
}
