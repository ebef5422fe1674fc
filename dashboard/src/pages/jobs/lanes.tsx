import type { Key, OneKey } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { Ago } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';

/** One lane a key: how full its two queues are, and how much of that is for later or at work. A press shows only its jobs. */
const everyMs = 5_000;

type Choose = { chosen: string | undefined; onChoose(key: string | undefined): void };

export function Lanes({ chosen, onChoose }: Choose) {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  const press = (name: string) => onChoose(chosen === name ? undefined : name);
  return (
    <Section id="lanes" title="Calls by key" bare>
      <Read of={keys} lines={2}>
        {({ items }) => (
          <DataTable
            label="Calls by key"
            rows={items}
            columns={[nameColumn(chosen, press), ...columns]}
            keyOf={({ name }) => name}
            current={chosen}
          />
        )}
      </Read>
    </Section>
  );
}

function nameColumn(chosen: string | undefined, press: (name: string) => void): Column<Key> {
  return {
    id: 'key',
    head: 'Key',
    cell: (key) => (
      <>
        <button
          type="button"
          aria-pressed={key.name === chosen}
          onClick={() => press(key.name)}
          className="link mr-2 font-medium"
        >
          {key.name}
        </button>
        <Badge state={key.state} />
      </>
    ),
  };
}

type Depth = NonNullable<OneKey['queues']>['dial'];
const figure = (kind: 'dial' | 'track', of: (depth: Depth) => number) => (key: Key) => (
  <Figure of={key} words={(queues) => count(of(queues[kind]))} />
);
const all = ({ waiting, delayed, active }: Depth) => waiting + delayed + active;

const columns: readonly Column<Key>[] = [
  { id: 'make', head: 'To make', number: true, cell: figure('dial', all) },
  { id: 'later', head: 'of them later', number: true, from: 'sm', cell: figure('dial', (it) => it.delayed) },
  { id: 'made', head: 'being made', number: true, from: 'sm', cell: figure('dial', (it) => it.active) },
  {
    id: 'oldest',
    head: 'Oldest',
    from: 'lg',
    cell: (key) => (
      <Figure of={key} words={({ dial }) => (dial.oldest_at ? <Ago at={dial.oldest_at} /> : '–')} />
    ),
  },
  { id: 'follow', head: 'To follow', number: true, cell: figure('track', all) },
  {
    id: 'look',
    head: 'until the next look',
    number: true,
    from: 'sm',
    cell: figure('track', (it) => it.delayed),
  },
  {
    id: 'asked',
    head: 'being asked for',
    number: true,
    from: 'sm',
    cell: figure('track', (it) => it.active),
  },
];

/** Read once for all figures of a key. */
type FigureProps = { of: Key; words(queues: NonNullable<OneKey['queues']>): React.ReactNode };

function Figure({ of: { name }, words }: FigureProps) {
  const { data } = useAsk('GET /api/keys/{name}', { params: { name } }, { everyMs });
  if (data?.queues === null) return <span className="text-warn">not reached</span>;
  return data ? words(data.queues) : '–';
}
