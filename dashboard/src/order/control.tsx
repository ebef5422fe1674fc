import { Fragment, type ReactNode } from 'react';
import { AreaField, CheckField, SelectField, TextField } from '../kit/form.tsx';
import { localTimeOf } from '../kit/words.ts';
import { jsonFault, type OrderField, type OrderName } from './fields.ts';
import { corrected, PickField, RetryField, retryOf, retryText } from './retry-field.tsx';
import { correctionOf, picks } from './usual.ts';
import { WindowField } from './window-field.tsx';

/** Fields of an order in two columns, each by its kind. Every field may stay empty. */
type ControlsProps = {
  fields: readonly OrderField[];
  text(field: OrderField): string;
  error(field: OrderField): string | undefined;
  label?(field: OrderField): string;
  onChange(name: OrderName, text: string): void;
  zones?: readonly string[] | undefined;
  /** One more, after the first. */
  children?: ReactNode;
};

/** Hours stand first, and what takes the whole width last. */
const rank = ({ kind }: OrderField) => (kind === 'window' ? 0 : /^(?:retry|json|yes)$/.test(kind) ? 2 : 1);

export const OrderControls = ({ fields, text, error, label, onChange, zones, children }: ControlsProps) => (
  <div className="grid items-start gap-4 sm:grid-cols-2">
    {[...fields]
      .sort((a, b) => rank(a) - rank(b))
      .map((field, nth) => (
        <Fragment key={field.name}>
          <div className={rank(field) === 1 ? '' : 'sm:col-span-2'}>
            <OrderControl
              field={field}
              label={label?.(field) ?? field.label}
              text={text(field)}
              error={error(field)}
              zones={zones}
              onChange={(typed) => onChange(field.name, typed)}
            />
          </div>
          {nth === 0 && children}
        </Fragment>
      ))}
  </div>
);

/** One field of an order, by its kind; a field without a control of its own is a text. */
type ControlProps = {
  field: OrderField;
  text: string;
  error: string | undefined;
  onChange(text: string): void;
  label: string;
  zones: readonly string[] | undefined;
};

const everyZone: readonly string[] = Intl.supportedValuesOf?.('timeZone') ?? [];

function OrderControl({ field, text, error, onChange, label, zones }: ControlProps) {
  const { kind, name, help, empty } = field;
  const meant = correctionOf(field, text);
  const shared = { label, help, error: corrected(text, error, meant, onChange) };
  const typed = { value: text, placeholder: empty ?? '', spellCheck: false };
  const change = ({ target }: { target: { value: string } }) => onChange(target.value);
  const choices = picks[name];
  if (choices) return <PickField {...{ label, help, error, text, choices, meant, onChange }} />;
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
        <SelectField
          {...shared}
          choices={field.choices}
          value={text || field.choices[0]?.value}
          onChange={change}
        />
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
            {everyZone.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </div>
      );
    case 'window':
      return (
        <fieldset>
          <legend className="mb-1 font-medium">{label}</legend>
          <WindowField window={text} error={error} onChange={onChange} zones={zones} />
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
