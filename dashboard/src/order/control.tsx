import { AreaField, CheckField, SelectField, TextField } from '../kit/field.tsx';
import { jsonFault, type OrderField } from './fields.ts';

/** One field of an order, by its kind; a field without a control of its own is a text. */
type ControlProps = {
  field: OrderField;
  text: string;
  error: string | undefined;
  onChange(text: string): void;
  label?: string;
  placeholder?: string | undefined;
  disabled?: boolean;
};

export function OrderControl({ field, text, error, onChange, placeholder, ...more }: ControlProps) {
  const { kind, label, help, choices } = field;
  const shared = { label, help, error, ...more };
  const typed = { value: text, placeholder, spellCheck: false };
  const change = ({ target }: { target: { value: string } }) => onChange(target.value);
  switch (kind) {
    case 'yes':
      return (
        <CheckField
          {...shared}
          checked={text === 'yes'}
          onChange={({ target }) => onChange(target.checked ? 'yes' : '')}
        />
      );
    case 'choice':
      return (
        <SelectField {...shared} choices={choices} value={text || choices[0]?.value} onChange={change} />
      );
    case 'json':
      return <AreaField {...shared} {...typed} error={jsonFault(text) ?? error} rows={6} onChange={change} />;
    case 'number':
      return <TextField {...shared} {...typed} inputMode="numeric" onChange={change} />;
    case 'time':
      return (
        <TextField {...shared} {...typed} placeholder="such as 2026-12-01T09:00:00Z" onChange={change} />
      );
    default:
      return <TextField {...shared} {...typed} onChange={change} />;
  }
}
