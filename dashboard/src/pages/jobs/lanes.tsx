import { useQueries } from '@tanstack/react-query';
import { addressOf, ask } from '../../api/ask.ts';
import type { Key, OneKey } from '../../api/description.ts';
import { keyOf } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PartBar } from '../../kit/part-bar.tsx';
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
  const most = Math.max(
    1,
    ...lanes.flatMap(({ queues }) => (queues ? [all(queues.dial), all(queues.track)] : [])),
  );
  return (
    <>
      <Standing lanes={lanes} />
      <Section id="lanes" title="By key" note="press one to see only its calls" bare>
        <DataTable
          label="Calls by key"
          rows={lanes}
          columns={[
            nameColumn(chosen, onPress),
            depth('dial', 'To dial', 'being dialled', most),
            depth('track', 'To check', 'being checked', most),
          ]}
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
  if (lanes.some(({ queues }) => queues === undefined)) return null;
  const sum = (kind: 'dial' | 'track') =>
    lanes.reduce((total, { queues }) => total + (queues ? all(queues[kind]) : 0), 0);
  const [dial, track] = [sum('dial'), sum('track')];
  const lost = lanes.filter(({ queues }) => queues === null).map(({ of }) => of.name);
  const closed = lanes.filter(({ of }) => of.state !== 'open').map(({ of }) => of.name);
  return (
    <Glance
      level={lost.length > 0 ? 'act' : closed.length > 0 ? 'watch' : 'fine'}
      title={`${counted(dial + track, 'call')} in the queues: ${count(dial)} to dial, ${count(track)} to check.`}
    >
      {lost.length > 0 && `The queue of ${lost.join(', ')} is not reached: Health says why. `}
      {closed.length > 0 && `No new calls on ${closed.join(', ')}: Keys says why.`}
      {lost.length + closed.length === 0 && 'Every queue is reached, and every key is open.'}
    </Glance>
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

/** How many a queue holds, against the fullest of all, and when they are due. */
function depth(kind: 'dial' | 'track', head: string, doing: string, most: number): Column<Lane> {
  return {
    id: kind,
    head,
    cell({ queues }) {
      if (!queues) return <span className="text-warn">{queues === null ? 'not reached' : '–'}</span>;
      const { waiting, delayed, active } = queues[kind];
      const words = [`${count(waiting)} now`, `${count(delayed)} later`, `${count(active)} ${doing}`];
      return (
        <span className="grid max-w-sm gap-1 py-1.5">
          <span>
            <b className="font-semibold">{count(all(queues[kind]))}</b>{' '}
            <span className="text-quiet">{words.join(', ')}</span>
          </span>
          <PartBar part={all(queues[kind]) / most} color="--color-ink" />
        </span>
      );
    },
  };
}
