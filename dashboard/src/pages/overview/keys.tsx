import type { Key } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Meter } from '../../kit/meter.tsx';
import { Time } from '../../kit/time.tsx';
import { about, count, percent } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { PageLink } from '../../shell/page-link.tsx';

/** Every key: its state, what is believed of its limit, and how much of that is used. */
export function Keys() {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  if (!keys.data) return null;
  return (
    <Section id="keys" title="Keys">
      {keys.data.items.length === 0 ? (
        <Empty title="No key is known yet">
          VOICE_API_KEYS names the keys of the voice service, such as <code>main=sk_...</code>.
        </Empty>
      ) : (
        <ul className="divide-y divide-line">
          {keys.data.items.map((key) => (
            <KeyLine key={key.name} of={key} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function KeyLine({ of: key }: { of: Key }) {
  const { name, state, present, reason, probe_at: probe, belief, calling } = key;
  return (
    <li className="grid gap-x-6 gap-y-2 py-3 first:pt-0 last:pb-0 md:grid-cols-[minmax(0,1.3fr)_minmax(0,1.3fr)_minmax(0,1fr)]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2">
          <PageLink to={`/keys/${encodeURIComponent(name)}`}>
            <span className="font-medium">{name}</span>
          </PageLink>
          <Badge state={state} />
        </p>
        {!present && (
          <p className="text-sm text-warn">no longer in VOICE_API_KEYS: its calls cannot be followed</p>
        )}
        {reason && <p className="text-sm text-quiet">{reason}</p>}
        {probe && (
          <p className="text-sm text-quiet">
            asked again at <Time at={probe} />
          </p>
        )}
      </div>
      <Pace of={key} />
      <div>
        {belief?.max_calls ? (
          <Meter
            label="Calls at once"
            value={calling}
            most={belief.max_calls}
            words={`${count(calling)} of ${count(belief.max_calls)} calls at once`}
          />
        ) : (
          <p>
            <span className="font-medium">{count(calling)}</span>{' '}
            <span className="text-quiet">calls at once, no limit met</span>
          </p>
        )}
        <p className="text-sm text-quiet">
          {count(key.planned)} planned, {count(key.parked)} parked
        </p>
      </div>
    </li>
  );
}

const use = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** The requests that left in the last minute, against what is believed of the limit. */
function Pace({ of: { name, present, rate, rate_from: from, belief, rests_ms: rests } }: { of: Key }) {
  const one = useLive(
    'GET /api/keys/{name}',
    { params: { name } },
    { everyMs: 10_000, on: ['key.'], enabled: present },
  );
  if (rate === null) return <p className="text-sm text-quiet">no pace known</p>;
  const sent = one.data
    ? Object.values(one.data.last_minute.requests).reduce((sum, n) => sum + n, 0) / 60
    : 0;
  const limit = belief?.limit ?? null;
  const most = limit ?? rate;
  return (
    <div>
      <Meter
        label="Use of the limit"
        value={Math.min(sent, most)}
        most={most}
        words={`${use.format(sent)} of ${about(most)} requests a second`}
      />
      <p className="text-sm text-quiet">
        in the last minute;{' '}
        {limit === null
          ? `no limit was met, the rate is ${from ?? 'given'}`
          : `the limit is believed, ${percent(belief?.sure ?? 0)} sure`}
        {belief?.probing && ', and is being tried'}
      </p>
      {rests > 0 && <p className="text-sm text-warn">rests {about(rests / 1_000)} s</p>}
    </div>
  );
}
