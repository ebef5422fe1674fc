import { type ReactNode, useState } from 'react';
import { useAsk } from '../../data/queries.ts';
import { AreaField, CheckField, TextField } from '../../kit/form.tsx';
import { Loading, Section } from '../../kit/page.tsx';
import { useSettled } from '../../kit/store.ts';
import { phoneText } from '../../kit/values.tsx';
import { timeText } from '../../kit/words.ts';
import { AgentField, FirstWaitField, OrderControls, retryOf, retryText } from '../../order/control.tsx';
import { fieldsOf, type OrderField, type OrderName, orderFields, usualLimits } from '../../order/fields.ts';
import { regionOf } from '../../order/rules.ts';
import { WindowField } from '../../order/window-field.tsx';
import { ServiceBrief } from '../../shell/service.tsx';
import { PutInForce, usePack } from '../policy/rules.tsx';
import { change, type Draft, fieldOfDraft } from './draft.ts';
import type { StepProps } from './list-check.tsx';
import { fieldsOf as namesIn } from './steps.ts';

/** The caller numbers, from the service's own listing; none leaves the choice to the service. */
function CallerNumbers({ draft: { from, faults } }: { draft: Draft }) {
  const numbers = useAsk('GET /api/numbers', {});
  const [sought, setSought] = useState('');
  const fault = faults.from ?? faults.number_ids;
  if (numbers.isPending) return <Loading lines={2} />;
  const listed = new Map<string, string>();
  for (const { phone_number: number, key, ...of } of numbers.data?.items ?? []) {
    const before = listed.get(number);
    // Services call the name of a number by different words.
    const names = [of.label, of.name, of.nickname, of.friendly_name, 'number'];
    const named = names.find((each) => typeof each === 'string' && each !== '');
    listed.set(number, before ? `${before}, ${key}` : `${named}, key ${key}`);
  }
  if (listed.size === 0) {
    return (
      <AreaField
        label="Caller numbers, one a line"
        value={from.join('\n')}
        onChange={({ target }) => change({ from: target.value === '' ? [] : target.value.split('\n') })}
        placeholder="+14155550100"
        rows={3}
        error={fault ?? numbers.error?.message}
        help="The service lists no numbers. Leave this empty to let it choose."
      />
    );
  }
  // One that was ticked before and is no longer listed can be taken out.
  for (const each of from)
    if (each.startsWith('+') && !listed.has(each)) listed.set(each, 'no longer listed');
  const box = (number: string, label: string, help: string) => (
    <CheckField
      key={number}
      label={label}
      help={help}
      checked={from.includes(number)}
      onChange={({ target }) =>
        change({ from: target.checked ? [...from, number] : from.filter((each) => each !== number) })
      }
    />
  );
  const wanted = sought.trim().toLowerCase();
  const shown = [...listed].filter((each) =>
    `${each.join(' ')} ${phoneText(each[0])}`.toLowerCase().includes(wanted),
  );
  return (
    <fieldset>
      <legend className="sr-only">Caller numbers</legend>
      {listed.size > 12 && (
        <TextField
          label="Find a number"
          type="search"
          value={sought}
          onChange={({ target }) => setSought(target.value)}
        />
      )}
      <div className="mt-2 grid max-h-72 gap-x-4 gap-y-2 overflow-auto sm:grid-cols-2 lg:grid-cols-3">
        {box('all', 'All numbers of the account', 'when the campaign starts')}
        {!from.includes('all') &&
          shown.slice(0, 200).map(([number, told]) => box(number, phoneText(number), told))}
      </div>
      {fault && <p className="mt-2 text-sm text-bad">{fault}</p>}
      {numbers.data?.failed.map(({ key, detail }) => (
        <p key={key} className="mt-1 text-sm text-warn">
          The numbers of the key {key} could not be listed: {detail}
        </p>
      ))}
    </fieldset>
  );
}

export function CallsStep({ draft }: { draft: Draft }) {
  const taken = useTakenName(draft);
  return (
    <>
      <div className="mb-6 grid gap-4 sm:grid-cols-2">
        <TextField
          {...fieldOfDraft(draft, 'name', 'Name of the campaign')}
          error={draft.faults.name ?? taken}
        />
        <AgentField
          {...fieldOfDraft(draft, 'agent', 'Agent')}
          spellCheck={false}
          help={
            draft.map.agent
              ? `Rows with a value in the column ${draft.map.agent} have that agent instead.`
              : 'Its id at the service; several share: a=70, b=30.'
          }
        />
      </div>
      <Section title="Calls come from" note="none ticked: a number that the service chooses" ruled>
        <CallerNumbers draft={draft} />
      </Section>
      <Section title="The service" ruled>
        <ServiceBrief />
      </Section>
      <More
        title="More: turns and limits of the numbers, settings of the agent"
        fields={fieldsOf('who').filter(({ name: field }) => rare.includes(field))}
        draft={draft}
      />
    </>
  );
}

const rare: readonly string[] = ['caller', 'per_number_calls', 'per_number_day', 'override'];

/** Fields that few need, folded while they hold nothing. */
type MoreProps = { title: ReactNode; fields: readonly OrderField[]; draft: Draft };

function More({ title, fields, draft }: MoreProps) {
  // Of the beginning: it must not close while one types.
  // The first wait of a retry is asked for above.
  const isSet = ({ name }: OrderField) => (draft[name] !== '' && name !== 'retry') || draft.faults[name];
  const [isOpen] = useState(fields.some(isSet));
  return (
    <details className="mb-6" open={isOpen}>
      <summary className="mb-3 w-fit cursor-pointer text-quiet">{title}</summary>
      <OrderInputs fields={fields} draft={draft} />
    </details>
  );
}

const OrderInputs = ({ fields, draft, children }: Omit<MoreProps, 'title'> & { children?: ReactNode }) => (
  <OrderControls
    fields={fields}
    text={({ name }) => draft[name] as string}
    error={({ name }) => draft.faults[name]}
    onChange={(name, text) => change({ ...againIn(name, text, draft), [name]: text })}
  >
    {children}
  </OrderControls>
);

/** Several attempts without a rule would be one: a wait is proposed with them. */
const againIn = (name: OrderName, text: string, { retry }: Draft) =>
  name === 'max_attempts' && Number(text) > 1 && retry === '' ? { retry: 'no-answer=2h, busy=2h' } : {};

/** Tells while the name is typed that another campaign has it; the API decides when it is saved. */
function useTakenName({ name, saved }: Draft): string | undefined {
  const typed = name.trim();
  const settled = useSettled(typed, 400);
  const found = useAsk('GET /api/campaigns', { name: settled, limit: 1 }, { enabled: settled !== '' });
  const other = found.data?.items[0];
  if (settled !== typed || !other || other.id === saved?.id) return undefined;
  return `A campaign named ${typed} already exists. Choose another name.`;
}

/** In which hours and on which dates people are called, against the contact rules, which may narrow them. */
export function HoursStep({ draft, check }: StepProps) {
  const { window, faults, country, timezone, start_at: start, end_at: end, not_on: dates, holidays } = draft;
  const policy = useAsk('GET /api/policy', {}).data;
  const zones = check.answer?.forecast?.timezones;
  // The packs that ship are of America.
  const isElsewhere = zones?.length ? !zones.some((zone) => /^America|Honolulu$/.test(zone)) : false;
  const pack = usePack(country, isElsewhere);
  return (
    <>
      <div className="mb-6">
        <WindowField
          window={window}
          error={faults.window ?? faults.days}
          onChange={(changed) => change({ window: changed })}
          proposed={pack}
          zones={zones}
          act={
            (isElsewhere && 'Carillon has no rules for where they are.') ||
            (pack && policy && (
              <PutInForce pack={pack} policy={policy} words={`Put those of ${regionOf(pack)} in force`} />
            ))
          }
        />
      </div>
      <More
        title={
          <>
            Time zone and dates: {timezone ? `${timezone} where a row names none` : 'the zone of each number'}
            , from {start ? timeText(start) : 'the start'} until {end ? timeText(end) : 'everyone is done'}
            {(dates || holidays) && ', some days left out'}
          </>
        }
        fields={fieldsOf('when').filter(({ name }) => name !== 'window' && name !== 'days')}
        draft={draft}
      />
    </>
  );
}

export function LimitsStep({ draft }: { draft: Draft }) {
  const names = namesIn(['limits']);
  const fields = orderFields.filter(({ name }) => names.includes(name));
  return (
    <>
      <div className="mb-6">
        <OrderInputs fields={fields.filter(({ name }) => usualLimits.includes(name))} draft={draft}>
          <FirstWaitField
            retry={retryOf(draft.retry)}
            onChange={(rules) => change({ retry: retryText(rules) })}
          />
        </OrderInputs>
      </div>
      <More
        title="More: a pause after the first people, waits by outcome, callbacks, calls in doubt, weight"
        fields={fields.filter(({ name }) => !usualLimits.includes(name))}
        draft={draft}
      />
    </>
  );
}
