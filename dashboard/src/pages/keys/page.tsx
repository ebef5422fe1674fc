import type { Key } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable, right } from '../../kit/table/data-table.tsx';
import { count, counted, percent } from '../../kit/words.ts';
import { LiveCalls } from './acts.tsx';
import { creditOf, doingOf, isCreditShort, levelOf } from './doing.ts';
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

function Known({ keys }: { keys: readonly Key[] }) {
  const open = keys.filter(({ state, present }) => state === 'open' && present).length;
  return (
    <>
      <Glance level={levelOf(keys)} title={openWords(open, keys)}>
        A key opens your account at the voice service: calls are made and paid with it, as fast as it allows.{' '}
        {creditWords(keys)}
      </Glance>
      <DataTable
        label="Keys"
        rows={[...keys].sort(closedFirst)}
        columns={columns}
        keyOf={({ name }) => name}
      />
      <p className="mt-4 mb-6 max-w-prose text-sm text-quiet">
        When the service refuses a key, fails, or has no credit, the key closes by itself; no attempt is lost.
      </p>
      <CallerNumbers />
    </>
  );
}

/** A key that was open all the time does not say so. */
const hourWords = ({ closed_s: closed }: Key) =>
  closed > 0 && ` Open ${percent(Math.max(0, 1 - closed / 3_600))} of the last hour.`;

/** What holds it back and what to do, or what it does. */
function Now({ of: key }: { of: Key }) {
  const { title, tone, children } = troubleOf(key) ?? {};
  const refused = refusedLastMinute(key);
  if (title)
    return (
      <>
        <p className={tone === 'bad' ? 'font-medium text-bad' : 'font-medium text-warn'}>{title}</p>
        <p className="max-w-prose">
          {children}
          {hourWords(key)}
        </p>
      </>
    );
  return (
    <p className="text-quiet">
      {doingOf(key)} {creditOf(key)}
      {refused > 0 && ` ${count(refused)} refused in the last minute.`}
      {hourWords(key)}
    </p>
  );
}

const columns: readonly Column<Key>[] = [
  {
    id: 'key',
    head: 'Key, and what it does now',
    cell: (key) => (
      <div className="py-1 sm:min-w-60">
        <KeyLink of={key} />
        <Now of={key} />
      </div>
    ),
  },
  { id: 'state', head: 'State', cell: ({ state }) => <Badge state={state} /> },
  {
    id: 'pace',
    head: 'Requests against the limit, last minute',
    from: 'sm',
    cell: (key) => (
      <div className="min-w-32 py-1">
        <Pace of={key} />
      </div>
    ),
  },
  right('calls', 'Calls at once', (key) => <Calls of={key} />),
  right('live', '', (key) => troubleOf(key)?.act ?? <LiveCalls of={key} />),
];

function openWords(open: number, keys: readonly Key[]): string {
  if (open < keys.length) return `${count(open)} of ${counted(keys.length, 'key')} may make calls.`;
  return keys.length === 1
    ? `The key ${keys[0]!.name} may make calls.`
    : `All ${count(open)} keys may make calls.`;
}

/** One without credit has its own notice. */
function creditWords(keys: readonly Key[]): string {
  const short = keys.filter(isCreditShort).map(({ name }) => name);
  return short.length > 0 ? `The credit of ${short.join(', ')} may end within the hour.` : '';
}
