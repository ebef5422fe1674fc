import { type FormEvent, useState } from 'react';
import type { Campaign, Forecast } from '../../../api/description.ts';
import { useAsk } from '../../../api/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { Section } from '../../../kit/card.tsx';
import { Trouble } from '../../../kit/empty.tsx';
import { TextField } from '../../../kit/field.tsx';
import { Stat } from '../../../kit/stat.tsx';
import { Time } from '../../../kit/time.tsx';
import { cost, count } from '../../../kit/words.ts';
import { useLive } from '../../../live/use-live.ts';
import { type OrderName, orderFields } from '../../../order/fields.ts';

/** When it ends and what it costs; and what another order would change, before it is changed. */
const limits: Record<Forecast['limited_by'], string> = {
  rate: 'the rate of the keys',
  window: 'the calling hours',
  calls: 'the calls at once',
  credit: 'the credit of the keys',
  policy: 'the contact rules',
  refused: 'the service',
};

export function ForecastCard({ campaign: { id, state } }: { campaign: Campaign }) {
  const now = useLive('GET /api/campaigns/{id}/forecast', { params: { id } }, { everyMs: 30_000 });
  const [changes, setChanges] = useState<string[]>([]);
  const other = useAsk(
    'GET /api/campaigns/{id}/forecast',
    { params: { id }, query: { with: changes } },
    { enabled: changes.length > 0 },
  );
  return (
    <Section id="forecast" title="Forecast">
      {state !== 'running' && <p className="mb-2 text-sm text-quiet">If it were started now:</p>}
      {now.error && !now.data && <Trouble problem={now.error} retry={() => void now.refetch()} />}
      {now.data && <ForecastNumbers forecast={now.data} />}
      <details className="mt-4 border-t border-line pt-3">
        <summary className="font-medium">What if the order were another?</summary>
        <WhatIf onAsk={setChanges} busy={other.isFetching} />
        {other.error && <Trouble problem={other.error} />}
        {changes.length > 0 && other.data && (
          <div className="mt-3 rounded-md bg-sunken p-3">
            <p className="mb-2 text-sm">With {changes.join(', ')}:</p>
            <ForecastNumbers forecast={other.data} />
          </div>
        )}
      </details>
    </Section>
  );
}

function ForecastNumbers({
  forecast: { ends_at: end, calls, cost: more, limited_by: by, reason },
}: {
  forecast: Forecast;
}) {
  if (end.p50 === null) {
    return (
      <p>
        Nobody can tell when it ends: no key makes calls now{reason && ` (${reason})`}. {count(calls)} calls
        are left.
      </p>
    );
  }
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
      <Stat
        name="Ends about"
        note={
          <>
            8 times of 10 from {end.p10 && <Time at={end.p10} />} to {end.p90 && <Time at={end.p90} />}
          </>
        }
      >
        <Time at={end.p50} />
      </Stat>
      <Stat name="Calls to come" note="retries included">
        {count(calls)}
      </Stat>
      <Stat
        name="Cost to come"
        note={more === null ? 'the service has told no cost' : 'by what calls cost so far'}
      >
        {more === null ? '–' : cost(more)}
      </Stat>
      <Stat name="Waits most for">{limits[by]}</Stat>
    </dl>
  );
}

const asked = [
  ['max_calls', '40'],
  ['max_attempts', '3'],
  ['window', '09:00-20:00'],
] as const;

const labelOf = (field: OrderName) => orderFields.find(({ name }) => name === field)!.label;

function WhatIf({ onAsk, busy }: { onAsk(changes: string[]): void; busy: boolean }) {
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    onAsk(
      asked.flatMap(([field]) => {
        const value = String(typed.get(field) ?? '').trim();
        return value === '' ? [] : [`${field}=${value}`];
      }),
    );
  };
  return (
    <form onSubmit={ask} className="mt-3 grid items-end gap-3 sm:grid-cols-4">
      {asked.map(([field, example]) => (
        <TextField key={field} name={field} label={labelOf(field)} placeholder={example} />
      ))}
      <Button type="submit" busy={busy}>
        Forecast it
      </Button>
    </form>
  );
}
