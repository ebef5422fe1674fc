import { AreaField, CheckField, SelectField, TextField } from '../../../kit/field.tsx';
import type { OrderPart } from './fields.ts';

/** One term of the order. */
type OrderInputProps = {
  part: OrderPart;
  text: string;
  isChanged: boolean;
  isFixed: boolean;
  error: string | undefined;
  onChange(text: string): void;
};

export function OrderInput({ part, text, isChanged, isFixed, error, onChange }: OrderInputProps) {
  const { kind, help, choices = [] } = part;
  const label = isChanged ? `${part.label} (changed)` : part.label;
  const shared = { label, help, error, disabled: isFixed };
  if (kind === 'yes') {
    return (
      <CheckField
        {...shared}
        checked={text === 'yes'}
        onChange={(event) => onChange(event.currentTarget.checked ? 'yes' : '')}
      />
    );
  }
  if (kind === 'choice') {
    return (
      <SelectField
        {...shared}
        choices={choices}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  if (kind === 'json') {
    return <AreaField {...shared} value={text} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  return (
    <TextField
      {...shared}
      placeholder="default"
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
