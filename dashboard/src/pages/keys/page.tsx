import type { Key } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge, stateText } from '../../kit/badge.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { DataTable, left, right } from '../../kit/table/data-table.tsx';
import { durationText } from '../../kit/time.tsx';
import { cost, count, counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { useLiveCalls } from '../../shell/live-calls.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Lately } from '../activity/entry.tsx';
import { Calls, closedFirst, KeyLink, NoKeys, Pace } from './line.tsx';
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
  const closed = keys.filter(({ state }) => state !== 'open');
  const level = levelOf(keys);
  const columns = [
    left<Key>('key', 'Key', (key) => <Name of={key} />),
    left<Key>('now', 'What it does', (key) => <Now of={key} />, { from: 'sm' }),
    left<Key>('pace', 'Requests a second', (key) => <Pace of={key} isBrief />, { from: 'sm', named: true }),
    right<Key>('calls', 'Calls at once', (key) => (
      <PageLink to={`/live?key=${encodeURIComponent(key.name)}`} className="hover:underline">
        <Calls of={key} />
      </PageLink>
    )),
    right<Key>(
      'closed',
      'Closed, last hour',
      ({ closed_s: closed }) => (closed > 0 ? durationText(Math.min(3_600, closed) * 1_000) : '–'),
      { from: 'xl' },
    ),
    right<Key>('cost', 'Cost, last hour', ({ cost_1h: n }) => cost(n, currency), {
      from: 'xl',
    }),
    left<Key>('act', '', (key) => troubleOf(key, { small: true })?.act, {
      number: true,
      from: 'sm',
    }),
  ];
  return (
    <>
      <Glance
        level={level}
        title={`${open < keys.length ? `${count(open)} of ` : ''}${counted(keys.length, 'key')} may make calls${closed.length === 1 ? `; ${closed[0]!.name}: ${stateText(closed[0]!.state)}` : ''}.`}
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
      <Lately title="What happened" verb="key,alert.raise,alert.clear" codes={/^key-/} />
    </>
  );
}

/** Its name and state. */
function Name({ of: key }: { of: Key }) {
  const title = troubleOf(key, { small: true })?.title;
  return (
    <div className="flex flex-wrap items-baseline gap-x-2.5 py-2.5 sm:min-w-40">
      <KeyLink of={key} />
      {title ? <span className="text-warn">{title}</span> : <Badge state={key.state} />}
    </div>
  );
}

/** What holds it back; of one that nothing does, for whom it calls. */
function Now({ of: key }: { of: Key }) {
  const calls = useLiveCalls().data?.items.filter((call) => call.key === key.name) ?? [];
  const campaigns = [...new Set(calls.map(({ campaign }) => campaign))].join(', ');
  const held = troubleOf(key, { small: true })?.children ?? doingOf(key);
  const words = held || (campaigns ? `calls for ${campaigns}` : 'no call now');
  return <span className="block sm:max-w-72 sm:min-w-48">{words}</span>;
}
