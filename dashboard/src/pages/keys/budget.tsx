import type { OneKey } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { about, classes, count, percent } from '../../kit/words.ts';
import { kinds, refusals } from './kinds.ts';

/** The last minute’s requests by kind, against what the key might send in it. */
export function Budget({ of: { last_minute: minute, rate, belief } }: { of: OneKey }) {
  const limit = belief?.limit ?? rate;
  const most = limit === null ? 0 : limit * 60;
  const sent = kinds.reduce((sum, { id }) => sum + minute.requests[id], 0);
  const whole = Math.max(most, sent, 1);
  const refused = refusals.filter(({ id }) => minute.refused[id] > 0);
  const words = kinds.map(({ id, label }) => `${count(minute.requests[id])} ${label}`).join(', ');
  return (
    <Section id="budget" title="Requests of the last minute">
      <p>
        <span className="font-medium">{count(sent)}</span>
        {limit !== null && (
          <span className="text-quiet">
            {' '}
            of about {count(Math.round(most))} that {about(limit)} a second allow (
            {percent(sent / Math.max(most, 1))})
          </span>
        )}
      </p>
      <div
        role="img"
        aria-label={words}
        className="mt-2 flex h-4 w-full gap-px overflow-hidden rounded-sm bg-sunken"
      >
        {kinds.map(({ id, fill }) => (
          <span
            key={id}
            className={classes('h-full', fill)}
            style={{ width: `${(100 * minute.requests[id]) / whole}%` }}
          />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
        {kinds.map(({ id, label, fill }) => (
          <li key={id} className="flex items-center gap-1.5">
            <span className={classes('size-2.5 rounded-xs', fill)} aria-hidden="true" />
            <span className="font-medium">{count(minute.requests[id])}</span>
            <span className="text-quiet">{label}</span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-sm">
        {refused.length === 0 ? (
          <span className="text-quiet">No answer with 429 in the last minute.</span>
        ) : (
          <>
            Refused with 429:{' '}
            {refused.map(({ id, label }) => `${count(minute.refused[id])} for ${label}`).join(', ')}.
          </>
        )}
      </p>
    </Section>
  );
}
