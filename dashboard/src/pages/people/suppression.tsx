import type { FoundPerson } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { phoneText } from '../../kit/phone.tsx';
import { Time, useNow } from '../../kit/time.tsx';
import { Opens } from '../../shell/opens.tsx';
import { AddPhones } from '../suppressions/add.tsx';
import { AllowCalls, HeldUntil, sourceText } from '../suppressions/columns.tsx';

/** Whether the person must not be called, and the acts that change it. */
type OfPerson = { phone: string; rows: readonly FoundPerson[] };

/** All numbers of the person in these rows, and what stops calls to them now; undefined until it is read. */
function useStops({ phone, rows }: OfPerson) {
  const now = useNow();
  const others = rows.flatMap(({ phones }) => phones?.map((each) => each.phone ?? '') ?? []);
  const numbers = [...new Set([phone, ...others.filter((each) => each !== '')])];
  const known = useAsk('GET /api/suppressions', { query: { phone: numbers, limit: 100 } });
  const stops = known.data?.items.filter(({ until }) => until === null || Date.parse(until) > now);
  return { numbers, stops };
}

export function Suppressed(of: OfPerson) {
  const { numbers, stops = [] } = useStops(of);
  if (stops.length === 0) return null;
  return (
    <ul aria-label="Suppressions" className="mb-4 space-y-2">
      {stops.map(({ phone: number, campaign, until, reason, source, created_at: at }) => (
        <li key={`${number} ${campaign}`} className="rounded-lg border border-warn bg-warn-soft px-4 py-2.5">
          <span className="font-semibold">
            {campaign === null ? 'Must not be called' : `Must not be called by ${campaign}`}
          </span>{' '}
          {numbers.length > 1 && `on ${phoneText(number ?? '')} `}
          <HeldUntil at={until} />
          <span className="text-quiet">
            {' '}
            since <Time at={at} />, {sourceText(source)}
            {reason && `: ${reason}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function SuppressionActs(of: OfPerson) {
  const { numbers, stops } = useStops(of);
  if (!stops) return null;
  const everywhere = stops.filter(({ campaign }) => campaign === null);
  const names = [...new Set(of.rows.map(({ campaign }) => campaign))];
  const campaigns = names.map((name) => ({ value: name, label: `Only ${name}` }));
  if (everywhere.length > 0) return <AllowCalls rows={everywhere} words="Allow calls" />;
  return (
    <Opens words="Suppress" icon="bar" may="operate">
      {(close) => <AddPhones person={numbers} campaigns={campaigns} onClose={close} />}
    </Opens>
  );
}
