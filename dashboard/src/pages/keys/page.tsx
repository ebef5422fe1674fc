import { Link } from '@tanstack/react-router';
import type { Key } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Card } from '../../kit/card.tsx';
import { Empty, Loading, Trouble } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Stat, Stats } from '../../kit/stat.tsx';
import { about, count, counted, percent } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { KeyTrouble } from './trouble.tsx';

/** Every key of the voice service: whether it works, and how much of its limit is used. */
export function KeysPage() {
  const keys = useLive('GET /api/keys', {}, { everyMs: 3_000, on: ['key.'] });
  const items = keys.data?.items ?? [];
  const open = items.filter(({ state, present }) => state === 'open' && present).length;
  return (
    <>
      <PageHead title="Keys">
        {keys.data &&
          items.length > 0 &&
          `${count(open)} of ${counted(items.length, 'key')} may create calls.`}
      </PageHead>
      {keys.error && !keys.data && <Trouble problem={keys.error} retry={() => void keys.refetch()} />}
      {keys.isPending && !keys.error && <Loading lines={6} />}
      {keys.data && items.length === 0 && (
        <Empty title="No key is known yet">
          VOICE_API_KEYS names the keys of the voice service, such as <code>main=sk_...</code>. Carillon
          learns the limit of each by itself.
        </Empty>
      )}
      <ul className="space-y-3">
        {items.map((key) => (
          <li key={key.name}>
            <KeyCard of={key} />
          </li>
        ))}
      </ul>
    </>
  );
}

function KeyCard({ of: key }: { of: Key }) {
  const { name, state, belief, rate, rate_from: from, calling } = key;
  const limit = belief?.limit ?? null;
  return (
    <Card>
      <h2 className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link to="/keys/$name" params={{ name }} className="link font-semibold">
          {name}
        </Link>
        <Badge state={state} />
        {belief?.probing && <Badge state="warning" label="probing" />}
      </h2>
      <KeyTrouble of={key} />
      <Stats>
        <Stat name="Allowed" note={from ?? 'no pace known'}>
          {rate === null ? '–' : `${about(rate)} a second`}
        </Stat>
        <Stat name="Believed limit" note={belief === null ? undefined : `${percent(belief.sure)} sure`}>
          {limit === null ? 'none met yet' : `${about(limit)} a second`}
        </Stat>
        <Stat name="Calls at once" note={belief?.max_calls ? `of ${count(belief.max_calls)}` : 'no cap met'}>
          {count(calling)}
        </Stat>
        <Stat name="Planned">{count(key.planned)}</Stat>
        <Stat name="Parked" note={key.parked > 0 ? 'wait for credit' : undefined}>
          {count(key.parked)}
        </Stat>
        <Stat name="Shares its limit" note={belief?.account ? 'one account' : undefined}>
          {belief?.account?.filter((each) => each !== name).join(', ') || 'with no other key'}
        </Stat>
      </Stats>
    </Card>
  );
}
