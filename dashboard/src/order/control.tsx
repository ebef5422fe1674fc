import { AreaField, CheckField, SelectField, TextField } from '../kit/field.tsx';
import { localTimeOf } from '../kit/local-time.ts';
import { jsonFault, type OrderField } from './fields.ts';
import { RetryField, retryOf, retryText } from './retry-field.tsx';
import { WindowField } from './window-field.tsx';

/** One field of an order, by its kind; a field without a control of its own is a text. */
type ControlProps = {
  field: OrderField;
  text: string;
  error: string | undefined;
  onChange(text: string): void;
  label?: string;
};

const zones: readonly string[] = Intl.supportedValuesOf?.('timeZone') ?? [];

export function OrderControl({ field, text, error, onChange, label = field.label }: ControlProps) {
  const { kind, help, choices, empty } = field;
  const shared = { label, help, error };
  const typed = { value: text, placeholder: empty ?? '', spellCheck: false };
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
    case 'time':
      return (
        <TextField
          {...shared}
          type="datetime-local"
          value={localTimeOf(text)}
          help={`In your time zone. ${help ?? ''}`}
          onChange={({ target }) => onChange(target.value && new Date(target.value).toISOString())}
        />
      );
    case 'zone':
      return (
        <div>
          <TextField {...shared} {...typed} list="zones" onChange={change} />
          <datalist id="zones">
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </div>
      );
    case 'window':
      return (
        <fieldset>
          <legend className="mb-1 font-medium">{label}</legend>
          <WindowField window={text} error={error} onChange={onChange} />
        </fieldset>
      );
    case 'retry':
      return (
        <RetryField retry={retryOf(text)} error={error} onChange={(rules) => onChange(retryText(rules))} />
      );
    default:
      return (
        <TextField
          {...shared}
          {...typed}
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          onChange={change}
        />
      );
  }
}
