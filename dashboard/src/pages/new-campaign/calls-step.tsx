import { Section } from '../../kit/card.tsx';
import { AreaField, TextField } from '../../kit/field.tsx';
import { Agents } from './agents.tsx';
import { CallerNumbers } from './caller-numbers.tsx';
import { change, type Draft } from './draft.ts';
import { jsonFault } from './order.ts';
import { useTakenName } from './taken-name.ts';

/** What every call has: the campaign's name, who speaks, from which number, and with which settings. */
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
      </Section>
      <Section id="override" title="Settings of these calls">
        <AreaField
          label="Override, as JSON"
          value={draft.override}
          onChange={(event) => change({ override: event.target.value })}
          placeholder={'{\n  "language": "en"\n}'}
          spellCheck={false}
          rows={6}
          error={jsonFault(draft.override) ?? faults.override}
          help="What the calls of this campaign override of the agent’s settings. Leave it empty to change nothing. Variables come from the columns of the list."
        />
      </Section>
    </>
  );
}
