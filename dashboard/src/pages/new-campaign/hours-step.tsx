import { Section } from '../../kit/card.tsx';
import { TextField } from '../../kit/field.tsx';
import { change, type Draft } from './draft.ts';
import { PolicyInForce } from './policy-in-force.tsx';
import { WindowField } from './window-field.tsx';

/** In which hours and on which dates people are called; the contact rules in force narrow them further. */
const viewer = Intl.DateTimeFormat().resolvedOptions().timeZone;
const zones: readonly string[] = Intl.supportedValuesOf?.('timeZone') ?? [];

export function HoursStep({ draft }: { draft: Draft }) {
  const { faults, timezone } = draft;
  const where = timezone.trim() === '' ? `In your time zone, ${viewer}.` : `In ${timezone}.`;
  return (
    <>
      <Section id="window" title="Hours of the week">
        <WindowField draft={draft} />
      </Section>
      <Section id="dates" title="Time zone and dates">
        <div className="grid gap-4 sm:grid-cols-2">
          <div>
            <TextField
              label="Time zone of rows without one"
              list="zones"
              value={timezone}
              onChange={(event) => change({ timezone: event.target.value })}
              placeholder="by the number"
              spellCheck={false}
              error={faults.timezone}
              help="Empty: the zones that the number’s prefix can be in. The hours must be open in all of them."
            />
            <datalist id="zones">
              {zones.map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </div>
          <TextField
            label="Public holidays left out"
            value={draft.holidays}
            onChange={(event) => change({ holidays: event.target.value.toUpperCase() })}
            placeholder="US"
            error={faults.holidays}
            help="The country as two letters; several with commas."
          />
          <TextField
            label="Dates left out"
            value={draft.not_on}
            onChange={(event) => change({ not_on: event.target.value })}
            placeholder="2026-12-24, 2026-12-31"
            error={faults.not_on}
          />
          <span className="max-sm:hidden" />
          <TextField
            label="Not before"
            type="datetime-local"
            value={draft.start_at}
            onChange={(event) => change({ start_at: event.target.value })}
            error={faults.start_at}
            help={`${where} Empty: as soon as it is started.`}
          />
          <TextField
            label="Not after"
            type="datetime-local"
            value={draft.end_at}
            onChange={(event) => change({ end_at: event.target.value })}
            error={faults.end_at}
            help="Who was not called by then is skipped."
          />
        </div>
      </Section>
      <PolicyInForce />
    </>
  );
}
