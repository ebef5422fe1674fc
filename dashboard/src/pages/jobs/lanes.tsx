import { useQueries } from '@tanstack/react-query';
import { addressOf, ask } from '../../api/ask.ts';
import type { Key, OneKey } from '../../api/description.ts';
import { keyOf } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { count, counted } from '../../kit/words.ts';

/** How full the two queues of each key are, in all and a line each. A press shows only the calls of that key. */
const everyMs = 5_000;

type Choose = { chosen: string | undefined; onChoose(key: string | undefined): void };
/** Null where a queue cannot be reached; undefined until it was asked for. */
type Lane = { of: Key; queues: OneKey['queues'] | undefined };

export function Lanes({ chosen, onChoose }: Choose) {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  const press = (name: string) => onChoose(chosen === name ? undefined : name);
  return (
    <Read of={keys} lines={3}>
      {({ items }) => <Known keys={items} chosen={chosen} onPress={press} />}
    </Read>
  );
}

type KnownProps = { keys: readonly Key[]; chosen: string | undefined; onPress(name: string): void };

function Known({ keys, chosen, onPress }: KnownProps) {
  const lanes = useLanes(keys);
  return (
    <>
      <Standing lanes={lanes} />
      <Section id="lanes" title="By key" note="press one to see only its calls" bare>
        <DataTable
          label="Calls by key"
          rows={lanes}
          columns={[nameColumn(chosen, onPress), ...columns]}
          keyOf={({ of }) => of.name}
          current={chosen}
        />
      </Section>
    </>
  );
}

function useLanes(keys: readonly Key[]): Lane[] {
  const found = useQueries({
    queries: keys.map(({ name }) => ({
      queryKey: keyOf('one', addressOf('GET /api/keys/{name}', { params: { name } })),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        ask('GET /api/keys/{name}', { params: { name }, signal }),
      refetchInterval: everyMs,
    })),
  });
  return keys.map((of, at) => ({ of, queues: found[at]?.data?.queues }));
}

/** The whole in one sentence, and whether all is well. */
function Standing({ lanes }: { lanes: readonly Lane[] }) {
  const known = lanes.flatMap(({ queues }) => queues ?? []);
  const sum = (kind: 'dial' | 'track') => known.reduce((total, queues) => total + all(queues[kind]), 0);
  const [dial, track] = [sum('dial'), sum('track')];
  const lost = lanes.filter(({ queues }) => queues === null).map(({ of }) => of.name);
  const closed = lanes.filter(({ of }) => of.state !== 'open').map(({ of }) => of.name);
  const ill = [
    ...(lost.length > 0 ? [`The queue of ${lost.join(', ')} is not reached.`] : []),
    ...(closed.length > 0 ? [`No new calls on ${closed.join(', ')}: Keys says why.`] : []),
  ];
  if (lanes.some(({ queues }) => queues === undefined)) return null;
  return (
    <>
      <p className="text-xl font-semibold">
        {counted(dial + track, 'call')} in the queues: {count(dial)} to dial, {count(track)} to check.
      </p>
      <p className={ill.length > 0 ? 'mb-5 text-warn' : 'mb-5 text-quiet'}>
        {ill.join(' ') || 'All is well: every queue is reached, and every key is open.'}
      </p>
    </>
  );
}

function nameColumn(chosen: string | undefined, press: (name: string) => void): Column<Lane> {
  return {
    id: 'key',
    head: 'Key',
    cell: ({ of: { name, state } }) => (
      <>
        <button
          type="button"
          aria-pressed={name === chosen}
          onClick={() => press(name)}
          className="link mr-2 font-medium"
        >
          {name}
        </button>
        <Badge state={state} />
      </>
    ),
  };
}

type Depth = NonNullable<OneKey['queues']>['dial'];
const all = ({ waiting, delayed, active }: Depth) => waiting + delayed + active;

function figure(kind: 'dial' | 'track', part: 'waiting' | 'delayed' | 'active', head: string): Column<Lane> {
  return {
    id: head,
    head,
    number: true,
    ...(part !== 'waiting' && { from: 'sm' }),
    cell({ queues }) {
      if (queues === null) return <span className="text-warn">not reached</span>;
      return queues ? count(queues[kind][part]) : '–';
    },
  };
}

const columns = [
  figure('dial', 'waiting', 'To dial now'),
  figure('dial', 'delayed', 'To dial later'),
  figure('dial', 'active', 'Dialing'),
  figure('track', 'waiting', 'To check now'),
  figure('track', 'delayed', 'To check later'),
  figure('track', 'active', 'Checking'),
];
