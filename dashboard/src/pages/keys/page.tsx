import type { Key } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { DataTable, left, right } from '../../kit/table/data-table.tsx';
import { cost, count, counted, percent } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Lately } from '../activity/entry.tsx';
import { Calls, closedFirst, KeyLink, NoKeys, Pace } from './line.tsx';
import { CallerNumbers } from './numbers.tsx';
import { refusedAt } from './points.ts';
import { doingOf, levelOf, troubleOf } from './trouble.tsx';

/** Every key of the voice service: whether it works, how much of its limit is used, and what Carillon does about it. */
export function KeysPage() {
  const keys = useLive('GET /api/keys', {}, { everyMs: 3_000, on: ['key.'] });
  return (
    <>
      <PageHead title="Keys" />
      <Read of={keys} lines={6}>
        {({ items }) => (items.length === 0 ? <NoKeys /> : <Known keys={items} />)}
      </Read>
    </>
  );
}

function Known({ keys }: { keys: readonly Key[] }) {
  const currency = useActiveCampaigns(15_000).data?.items.find((each) => each.currency)?.currency;
  const open = keys.filter(({ state, present }) => state === 'open' && present).length;
  const columns = [
    left<Key>('key', 'Key', (key) => (
      <div className="max-w-prose py-1.5 sm:min-w-40">
        <span className="flex items-baseline gap-2.5">
          <KeyLink of={key} />
          <Badge state={key.state} />
        </span>
        <Now of={key} />
      </div>
    )),
    left<Key>('pace', 'Pace, last minute', (key) => <Pace of={key} />, { from: 'sm' }),
    right<Key>('calls', 'Calls at once', (key) => (
      <PageLink to={`/live?key=${encodeURIComponent(key.name)}`} className="hover:underline">
        <Calls of={key} />
      </PageLink>
    )),
    right<Key>('refused', 'Refused, last minute', ({ last_minute: of }) => count(refusedAt(of))),
    right<Key>(
      'closed',
      'Closed, last hour',
      ({ closed_s: closed }) => percent(Math.min(1, closed / 3_600)),
      { has: ({ closed_s: closed }) => closed > 0 },
    ),
    right<Key>('cost', 'Cost, last hour', ({ cost_1h: n }) => cost(n, currency), {
      has: ({ cost_1h: n }) => n > 0,
    }),
  ];
  return (
    <>
      <Glance
        level={levelOf(keys)}
        title={`${open < keys.length ? `${count(open)} of ` : ''}${counted(keys.length, 'key')} may make calls.`}
      >
        Without credit a key closes by itself, and opens again: nobody loses their place.
      </Glance>
      <div className="mb-6">
        <DataTable
          label="Keys"
          rows={[...keys].sort(closedFirst)}
          columns={columns}
          keyOf={({ name }) => name}
        />
      </div>
      <CallerNumbers />
      <Lately title="What happened" verb="key,number,alert" codes={/^(?:key|number)-/} />
    </>
  );
}

/** What holds it back and what to do. */
function Now({ of: key }: { of: Key }) {
  const { title, tone, act, children } = troubleOf(key, { small: true }) ?? {};
  if (!title) return <p className="text-quiet empty:hidden">{doingOf(key)}</p>;
  return (
    <>
      <p className={tone === 'bad' ? 'font-medium text-bad' : 'font-medium text-warn'}>{title}</p>
      <p>{children}</p>
      <div className="mt-2 empty:hidden">{act}</div>
    </>
  );
}
