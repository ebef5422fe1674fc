import type { Key } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable, right } from '../../kit/table/data-table.tsx';
import { cost, count, counted, percent } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Lately } from '../activity/entry.tsx';
import { KeyFigures } from './figures.tsx';
import { Hour } from './hour.tsx';
import { Calls, closedFirst, KeyLink, NoKeys, Pace, refusedLastMinute } from './line.tsx';
import { CallerNumbers } from './numbers.tsx';
import { doingOf, isCreditShort, levelOf, troubleOf } from './trouble.tsx';

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

/** Each row that is drawn asks for its hour. */
const mostHours = 8;

function Known({ keys }: { keys: readonly Key[] }) {
  const open = keys.filter(({ state, present }) => state === 'open' && present).length;
  const short = keys.filter(isCreditShort).map(({ name }) => name);
  const shown = keys.length > mostHours ? columns.filter(({ id }) => id !== 'hour') : columns;
  return (
    <>
      <Glance
        level={levelOf(keys)}
        title={`${open < keys.length ? `${count(open)} of ` : ''}${counted(keys.length, 'key')} may make calls.`}
      >
        {short.length > 0
          ? `The credit of ${short.join(', ')} may end within the hour.`
          : 'One that the service refuses, or that has no credit, closes by itself: its people keep their place.'}
      </Glance>
      <KeyFigures
        keys={keys}
        refused={{
          n: keys.reduce((all, key) => all + refusedLastMinute(key), 0),
          span: 'last minute',
          note: 'what is refused is sent again',
        }}
      />
      <div className="mb-6">
        <DataTable
          label="Keys"
          rows={[...keys].sort(closedFirst)}
          columns={shown}
          keyOf={({ name }) => name}
        />
      </div>
      <CallerNumbers />
      <Lately title="What happened" verb="key,number,alert" codes={/^(?:key|number)-/} />
    </>
  );
}

/** What holds it back and what to do, or what it does. */
function Now({ of: key }: { of: Key }) {
  const { title, tone, act, children } = troubleOf(key, { small: true }) ?? {};
  if (!title) return <p className="text-quiet">{doingOf(key)}</p>;
  return (
    <>
      <p className={tone === 'bad' ? 'font-medium text-bad' : 'font-medium text-warn'}>{title}</p>
      <p>{children}</p>
      <div className="mt-2 empty:hidden">{act}</div>
    </>
  );
}

const columns: readonly Column<Key>[] = [
  {
    id: 'key',
    head: 'Key, and what it does now',
    cell: (key) => (
      <div className="max-w-prose py-1.5 sm:min-w-60">
        <span className="flex items-baseline gap-2.5">
          <KeyLink of={key} />
          <Badge state={key.state} />
        </span>
        <Now of={key} />
      </div>
    ),
  },
  { id: 'hour', head: 'Requests by minute, last hour', from: 'xl', cell: ({ name }) => <Hour name={name} /> },
  { id: 'pace', head: 'Pace, last minute', from: 'sm', cell: (key) => <Pace of={key} /> },
  right('calls', 'Calls at once', (key) => (
    <PageLink to={`/live?key=${encodeURIComponent(key.name)}`} className="hover:underline">
      <Calls of={key} />
    </PageLink>
  )),
  right('closed', 'Closed, last hour', ({ closed_s: closed }) =>
    closed === 0 ? <span className="text-quiet">never</span> : percent(Math.min(1, closed / 3_600)),
  ),
  right('cost', 'Cost, last hour', ({ cost_1h: n }) => cost(n), { has: ({ cost_1h: n }) => n > 0 }),
];
