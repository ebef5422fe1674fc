import type { Forecast } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { Stat } from '../../kit/stat.tsx';
import { Ago, Time } from '../../kit/time.tsx';
import { cost, count } from '../../kit/words.ts';

/** When the calls would end if they began now, what they cost, and what they wait for most. */
const limits: Record<Forecast['limited_by'], string> = {
  rate: 'the pace of the keys',
  window: 'the clock: hours, dates and the times of retries',
  calls: 'the calls at once',
  credit: 'credit',
  policy: 'the contact rules',
  refused: 'the service, which takes no calls now',
  budget: 'money: the budget ends before the list',
};

export function ForecastFigures({ forecast }: { forecast: Forecast | null }) {
  if (!forecast) return null;
  const { p10, p50, p90 } = forecast.ends_at;
  return (
    <Section id="forecast" title="Forecast">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
        <Stat
          name="Ends"
          note={
            p50 ? (
              <Ago at={p50} />
            ) : forecast.limited_by === 'budget' ? (
              'not within the budget'
            ) : (
              'no key creates calls now'
            )
          }
        >
          {p50 ? <Time at={p50} /> : '–'}
        </Stat>
        <Stat name="At the earliest" note="one time in ten before it">
          {p10 ? <Time at={p10} /> : '–'}
        </Stat>
        <Stat name="At the latest" note="one time in ten after it">
          {p90 ? <Time at={p90} /> : '–'}
        </Stat>
        <Stat name="Calls" note="retries included">
          {count(forecast.calls)}
        </Stat>
        <Stat name="Cost" note={forecast.cost === null ? 'no call told one yet' : 'in the service’s unit'}>
          {forecast.cost === null ? '–' : cost(forecast.cost)}
        </Stat>
      </dl>
      <p className="mt-3 text-quiet">It waits most for {limits[forecast.limited_by]}.</p>
    </Section>
  );
}
