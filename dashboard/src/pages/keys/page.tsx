import type { Key } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable, right } from '../../kit/table/data-table.tsx';
import { count, counted, percent } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { creditOf, doingOf, isCreditShort, levelOf } from './doing.ts';
import { Hour, Spent } from './hour.tsx';
import { Lately } from './lately.tsx';
import { Calls, closedFirst, KeyLink, NoKeys, Pace, refusedLastMinute } from './line.tsx';
import { CallerNumbers } from './numbers.tsx';
import { troubleOf } from './trouble.tsx';

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
  const shown = keys.length > mostHours ? columns.filter(({ id }) => id !== 'hour') : columns;
  return (
    <>
      <Glance level={levelOf(keys)} title={openWords(open, keys)}>
        Each is an account at the voice service: calls are made and paid with it. {creditWords(keys)}
      </Glance>
      <DataTable label="Keys" rows={[...keys].sort(closedFirst)} columns={shown} keyOf={({ name }) => name} />
      <p className="mt-3 mb-7 text-sm text-quiet">
        A key that the service refuses, or that has no credit, closes by itself: its people keep their place,
        and nobody loses an attempt.
      </p>
      <CallerNumbers />
      <Lately />
    </>
  );
}

/** What holds it back and what to do, or what it does. */
function Now({ of: key }: { of: Key }) {
  const { title, tone, act, children } = troubleOf(key) ?? {};
  const refused = refusedLastMinute(key);
  if (title)
    return (
      <>
        <p className={tone === 'bad' ? 'font-medium text-bad' : 'font-medium text-warn'}>{title}</p>
        <p>{children}</p>
        <div className="mt-2 empty:hidden">{act}</div>
      </>
    );
  return (
    <p className="text-quiet">
      {doingOf(key)} {creditOf(key)}
      {refused > 0 && ` ${count(refused)} refused in the last minute.`}
    </p>
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
  {
    id: 'hour',
    head: 'Requests by minute, last hour',
    from: 'xl',
    cell: ({ name }) => <Hour name={name} />,
  },
  {
    id: 'pace',
    head: 'Pace, last minute',
    from: 'sm',
    cell: (key) => (
      <div className="min-w-56 py-1">
        <Pace of={key} />
      </div>
    ),
  },
  right('calls', 'Calls at once', (key) => (
    <PageLink to={`/live?key=${encodeURIComponent(key.name)}`} className="hover:underline">
      <Calls of={key} />
    </PageLink>
  )),
  right('closed', 'Closed, last hour', ({ closed_s: closed }) =>
    closed === 0 ? <span className="text-quiet">never</span> : percent(Math.min(1, closed / 3_600)),
  ),
  right('cost', 'Cost, last hour', (key) => <Spent of={key} />, {
    has: ({ cost_1h: n }) => n > 0,
  }),
];

function openWords(open: number, keys: readonly Key[]): string {
  if (open < keys.length) return `${count(open)} of ${counted(keys.length, 'key')} may make calls.`;
  return keys.length === 1
    ? `The key ${keys[0]!.name} may make calls.`
    : `The ${count(open)} keys may make calls.`;
}

/** One without credit has its own notice. */
function creditWords(keys: readonly Key[]): string {
  const short = keys.filter(isCreditShort).map(({ name }) => name);
  return short.length > 0 ? `The credit of ${short.join(', ')} may end within the hour.` : '';
}
