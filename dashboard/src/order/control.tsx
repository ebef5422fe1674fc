import { type ComponentProps, Fragment, type ReactNode, useState } from 'react';
import { useAsk } from '../data/queries.ts';
import { stateText } from '../kit/basics.tsx';
import { AreaField, CheckField, Options, SelectField, TextField } from '../kit/form.tsx';
import { localTimeOf } from '../kit/words.ts';
import {
  type Choice,
  correctionOf,
  jsonFault,
  type OrderField,
  type OrderName,
  picks,
  waitChoices,
  waitsIn,
} from './fields.ts';
import { WindowField } from './window-field.tsx';

/** A text of an order that is picked from what most people want, or typed. */
type PickProps = {
  label: string;
  text: string;
  choices: readonly Choice[];
  error?: string | undefined;
  help?: string | null;
  /** What a typed text means, where it is not written as it must be. */
  meant?: string | null;
  onChange(text: string): void;
};

const other = 'other';

function PickField({ label, text, choices, error, help, meant = null, onChange }: PickProps) {
  const [isTyped, setTyped] = useState(false);
  const shown = isTyped || !choices.some(({ value }) => value === text);
  return (
    <div className="grid gap-2">
      <SelectField
        label={label}
        error={shown ? undefined : error}
        value={shown ? other : text}
        choices={[...choices, { value: other, label: 'Something else' }]}
        onChange={({ target: { value } }) => {
          setTyped(value === other);
          if (value !== other) onChange(value);
        }}
      />
      {shown && (
        <TextField
          label={`${label}, typed`}
          help={help}
          error={corrected(text, error, meant, onChange)}
          value={text}
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  );
}

/** The fault of a field, with what was probably meant: one press takes it. */
const corrected = (
  text: string,
  error: string | undefined,
  meant: string | null,
  onChange: (text: string) => void,
) =>
  meant === null ? (
    error
  ) : (
    <>
      {error ?? `“${text.trim()}” is written ${meant}.`}{' '}
      <button type="button" className="link" onClick={() => onChange(meant)}>
        Write {meant}
      </button>
    </>
  );

/** The agent by its id, of those that the service lists or another. */
export function AgentField(field: ComponentProps<typeof TextField>) {
  const agents = useAsk('GET /api/agents', {}).data?.items ?? [];
  return (
    <>
      <TextField placeholder={agents[0]?.id ?? 'agent_…'} list="agents" autoComplete="off" {...field} />
      <datalist id="agents">
        {agents.map(({ id, name, key }) => (
          <option key={`${key} ${id}`} value={id} label={name ?? id} />
        ))}
      </datalist>
    </>
  );
}

/** After each of these outcomes the next attempt has a wait of its own. */
const outcomes = ['no-answer', 'busy', 'voicemail', 'failed', 'canceled', 'dropped', 'answered'];

type Retry = Readonly<Record<string, string>>;
type RetryProps = { retry: Retry; error?: string | undefined; onChange(retry: Retry): void };

function RetryField({ retry, error, onChange }: RetryProps) {
  // The API names the outcome that it does not take.
  const isOf = (outcome: string) => error?.includes(` ${outcome} `);
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Wait before the next attempt, after</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] items-start gap-3">
        {outcomes.map((outcome) => (
          <WaitField
            key={outcome}
            label={stateText(outcome).replace(/^./, (first) => first.toUpperCase())}
            text={retry[outcome] ?? ''}
            error={isOf(outcome) ? error : undefined}
            onChange={(wait) => onChange({ ...retry, [outcome]: wait })}
          />
        ))}
      </div>
      {error && !outcomes.some(isOf) && (
        <p role="alert" className="mt-1 text-sm text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}

const WaitField = (props: Omit<PickProps, 'choices'>) => (
  <PickField
    {...props}
    choices={waitChoices}
    meant={waitsIn(props.text)}
    help="Such as 45m, or 30m/2h/1d for the first, second and third time."
  />
);

/** One wait for those who did not pick up, the commonest of all; the others have theirs among the rare fields. */
export function FirstWaitField({ retry, onChange }: Omit<RetryProps, 'error'>) {
  const { 'no-answer': wait = '', busy = '' } = retry;
  return wait === busy || busy === '' ? (
    <WaitField
      label="Next attempt, after no answer or busy"
      text={wait}
      onChange={(text) => onChange({ ...retry, 'no-answer': text, busy: text })}
    />
  ) : (
    <p className="self-center text-sm text-quiet">The wait after each outcome stands below, under More.</p>
  );
}

/** The rules as one text of an order, and back: `no-answer=30m/2h, busy=10m`. */
export function retryOf(text: string): Record<string, string> {
  const parts = text.split(',').map((each) => each.trim().split('='));
  return Object.fromEntries(parts.flatMap(([outcome, wait]) => (outcome && wait ? [[outcome, wait]] : [])));
}

export function retryText(retry: Retry): string {
  return Object.entries(retry)
    .filter(([, wait]) => wait.trim() !== '')
    .map(([outcome, wait]) => `${outcome}=${wait.trim()}`)
    .join(', ');
}

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

export const OrderControls = ({ fields, children, ...of }: ControlsProps) => (
  <div className="grid items-start gap-4 sm:grid-cols-2">
    {[...fields]
      .sort((a, b) => rank(a) - rank(b))
      .map((field, nth) => (
        <Fragment key={field.name}>
          <div className={rank(field) === 1 ? '' : 'sm:col-span-2'}>
            <OrderControl field={field} {...of} />
          </div>
          {nth === 0 && children}
        </Fragment>
      ))}
  </div>
);

const zoneNames = Intl.supportedValuesOf?.('timeZone') ?? [];
const everyZone = zoneNames.map((value) => ({ value, label: value }));

/** One field of an order, by its kind; a field without a control of its own is a text. */
function OrderControl({ field, zones, ...of }: Omit<ControlsProps, 'fields'> & { field: OrderField }) {
  const { kind, name, help, empty } = field;
  const [text, error, label] = [of.text(field), of.error(field), of.label?.(field) ?? field.label];
  const onChange = (changed: string) => of.onChange(name, changed);
  const meant = correctionOf(field, text);
  const shared = { label, help, error: corrected(text, error, meant, onChange) };
  const change = ({ target }: { target: { value: string } }) => onChange(target.value);
  const typed = { ...shared, value: text, placeholder: empty ?? '', spellCheck: false, onChange: change };
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
      return <AreaField {...typed} error={jsonFault(text) ?? error} rows={6} />;
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
        <>
          <TextField {...typed} list="zones" />
          <datalist id="zones">
            <Options of={everyZone} />
          </datalist>
        </>
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
      return <TextField {...typed} inputMode={kind === 'number' ? 'numeric' : 'text'} />;
  }
}
