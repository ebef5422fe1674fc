import { useAsk } from '../../data/queries.ts';
import { Section } from '../../kit/card.tsx';
import { TextField } from '../../kit/field.tsx';
import { fieldsOf } from '../../order/fields.ts';
import { WindowField } from '../../order/window-field.tsx';
import { ServiceBrief } from '../../shell/service.tsx';
import { Agents } from './agents.tsx';
import { CallerNumbers } from './caller-numbers.tsx';
import { change, type Draft } from './draft.ts';
import { OrderInputs } from './order-inputs.tsx';
import { PolicyInForce } from './policy-in-force.tsx';
import { useSettled } from './settled.ts';
import { groupsIn } from './steps.ts';

/** What is asked for beside the caller numbers. */
const isOfNumbers = (name: string) => name === 'caller' || name.startsWith('per_number_');

/** The parts of every call: the campaign's name, who speaks, from which number, and with which settings. */
export function CallsStep({ draft }: { draft: Draft }) {
  const { faults } = draft;
  const taken = useTakenName(draft);
  return (
    <>
      <Section id="campaign" title="Campaign and agent">
        <div className="mb-4 max-w-md">
          <TextField
            label="Name of the campaign"
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
            error={faults.name ?? taken}
            help="It is how you find it again, and is unique."
          />
        </div>
        <Agents draft={draft} />
      </Section>
      <Section id="from" title="Calls come from">
        <CallerNumbers draft={draft} />
        <div className="mt-4">
          <OrderInputs group="who" draft={draft} shows={isOfNumbers} />
        </div>
      </Section>
      <Section id="settings" title="Settings of these calls">
        <OrderInputs group="who" draft={draft} shows={(name) => !isOfNumbers(name)} />
      </Section>
      <Section id="service" title="The service">
        <ServiceBrief />
      </Section>
    </>
  );
}

/** Tells while the name is typed that another campaign has it; the API decides when it is saved. */
function useTakenName({ name, saved }: Draft): string | undefined {
  const typed = name.trim();
  const settled = useSettled(typed);
  const found = useAsk(
    'GET /api/campaigns',
    { query: { name: settled, limit: 1 } },
    { enabled: settled !== '', on: ['campaign.'] },
  );
  const other = found.data?.items[0];
  if (settled !== typed || !other || other.id === saved?.id) return undefined;
  return `A campaign named ${typed} already exists. Choose another name.`;
}

/** In which hours and on which dates people are called; the contact rules in force narrow them further. */
export function HoursStep({ draft }: { draft: Draft }) {
  return (
    <>
      <PolicyInForce country={draft.country} />
      <Section id="window" title="Hours of the week">
        <WindowField
          window={draft.window}
          error={draft.faults.window ?? draft.faults.days}
          onChange={(window) => change({ window })}
        />
      </Section>
      <details className="mb-6" open={datesAreSet(draft)}>
        <summary className="mb-3 w-fit cursor-pointer font-semibold">Time zone and dates</summary>
        <OrderInputs group="when" draft={draft} />
      </details>
    </>
  );
}

const datesAreSet = (draft: Draft) =>
  fieldsOf('when').some(({ name }) => name !== 'window' && (draft[name] !== '' || draft.faults[name]));

/** How often a person is tried and how fast the list is called, and what stops it. */
export function LimitsStep({ draft }: { draft: Draft }) {
  return groupsIn('limits').map(({ name, title }) => (
    <Section key={name} id={name} title={title}>
      <OrderInputs group={name} draft={draft} />
    </Section>
  ));
}
