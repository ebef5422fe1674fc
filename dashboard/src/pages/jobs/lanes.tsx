import type { Job, Key, OneKey } from '../../api/description.ts';
import { useAsks } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { legendClasses, Named } from '../../kit/balance-bar.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { durationText, useSecond } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { inProgress, useLiveCalls } from '../../shell/live-calls.ts';
import { WhyTheyWait } from './waits.tsx';

/** How full the two queues of each key are, in all and a line each. A press on a number shows its calls. */
const everyMs = 5_000;

type Shown = { key: string; kind?: Job['kind'] };
type Choose = { chosen: string | undefined; onChoose(shown: Shown): void };
/** Null where a queue cannot be reached; undefined until it was asked for. */
type Lane = { of: Key; queues: OneKey['queues'] | undefined };
type Depth = NonNullable<OneKey['queues']>['dial'];

/** What a queue holds, as parts of its bar. */
const parts: readonly (readonly [part: 'active' | 'waiting' | 'delayed', fill: string, words: string])[] = [
  ['active', 'bg-live-fill', 'being worked on'],
  ['waiting', 'bg-ink', 'due now'],
  ['delayed', 'bg-ink-3', 'due later'],
];

/** Of a call that was placed, only its next check at the service is work. */
const checks: { [kind in Job['kind']]?: Partial<Record<keyof Depth, string>> } = {
  track: { active: 'being checked', waiting: 'to check now', delayed: 'between two checks' },
};

export function Lanes({ chosen, onChoose }: Choose) {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  return (
    <Read of={keys} lines={3}>
      {({ items }) => <Known keys={items} chosen={chosen} onChoose={onChoose} />}
    </Read>
  );
}

function Known({ keys, chosen, onChoose }: Choose & { keys: readonly Key[] }) {
  const lanes = useLanes(keys);
  const depths = lanes.flatMap(({ queues }) => (queues ? [all(queues.dial), all(queues.track)] : []));
  const most = Math.max(1, ...depths);
  return (
    <>
      <Standing lanes={lanes} />
      <WhyTheyWait />
      <Section
        id="lanes"
        title="By key"
        acts={
          <ul className={legendClasses}>
            {parts.map(([part, fill, words]) => (
              <Named key={part} fill={fill}>
                {words}
              </Named>
            ))}
          </ul>
        }
        bare
      >
        <DataTable
          label="Calls by key"
          rows={lanes}
          columns={[
            nameColumn(onChoose),
            depth('dial', 'To dial', most, onChoose),
            depth('track', 'In progress', most, onChoose),
          ]}
          keyOf={({ of }) => of.name}
          current={chosen}
        />
      </Section>
    </>
  );
}

function useLanes(keys: readonly Key[]): Lane[] {
  const found = useAsks(
    'GET /api/keys/{name}',
    keys.map(({ name }) => ({ params: { name } })),
    everyMs,
  );
  return keys.map((of, at) => ({ of, queues: found[at]?.data?.queues }));
}

/** The whole in one sentence, and whether all is well. */
function Standing({ lanes }: { lanes: readonly Lane[] }) {
  const live = useLiveCalls();
  if (!live.data || lanes.some(({ queues }) => queues === undefined)) return null;
  const dial = lanes.reduce((sum, { queues }) => sum + (queues ? all(queues.dial) : 0), 0);
  const lost = lanes.filter(({ queues }) => queues === null).map(({ of }) => of.name);
  const closed = lanes.filter(({ of }) => of.state !== 'open').map(({ of }) => of.name);
  return (
    <Glance
      level={lost.length > 0 ? 'act' : closed.length > 0 ? 'watch' : 'fine'}
      title={`${counted(inProgress(live.data), 'call is', 'calls are')} in progress, ${dial === 0 ? 'nobody is due' : counted(dial, 'person is', 'people are')} to be dialled now.`}
    >
      {lost.length > 0 && `The queue of ${lost.join(', ')} is not reached: Health says why. `}
      {closed.length > 0 && `No new calls on ${closed.join(', ')}: Keys says why.`}
      {lost.length + closed.length === 0 &&
        'Each key has two queues: people to call now, and calls in progress, whose state is asked for until they end.'}
    </Glance>
  );
}

function nameColumn(choose: Choose['onChoose']): Column<Lane> {
  return {
    id: 'key',
    head: 'Key',
    cell: ({ of: { name, state } }) => (
      <>
        <button type="button" onClick={() => choose({ key: name })} className="link mr-2 font-medium">
          {name}
        </button>
        <Badge state={state} />
      </>
    ),
  };
}

const all = ({ waiting, delayed, active }: Depth) => waiting + delayed + active;

/** How many a queue holds, against the fullest of all, and when they are due. */
function depth(kind: Job['kind'], head: string, most: number, choose: Choose['onChoose']): Column<Lane> {
  return {
    id: kind,
    head,
    from: 'sm',
    named: true,
    cell({ of: { name: key }, queues }) {
      if (!queues) return <span className="text-warn">{queues === null ? 'not reached' : '–'}</span>;
      const has = parts.filter(([part]) => queues[kind][part] > 0);
      if (has.length === 0) return <span className="text-quiet">nobody</span>;
      return (
        <span className="inline-grid w-96 max-w-full grid-cols-[2.5rem_minmax(0,1fr)] items-baseline gap-x-2 py-1.5">
          <button
            type="button"
            onClick={() => choose({ key, kind })}
            className="link justify-self-start font-medium"
          >
            {count(all(queues[kind]))}
          </button>
          <span className="min-w-0">
            <span aria-hidden="true" className="mb-1 flex h-2 gap-px overflow-hidden rounded-sm bg-track">
              {has.map(([part, fill]) => (
                <span
                  key={part}
                  className={fill}
                  style={{ width: `${(queues[kind][part] / most) * 100}%` }}
                />
              ))}
            </span>
            <span className="block text-xs text-quiet">
              {has
                .map(([part, , words]) => `${count(queues[kind][part])} ${checks[kind]?.[part] ?? words}`)
                .join(', ')}
              {kind === 'track' && queues.track.next_at && <NextCheck at={queues.track.next_at} />}
            </span>
          </span>
        </span>
      );
    },
  };
}

function NextCheck({ at }: { at: string }) {
  const left = Date.parse(at) - useSecond();
  return `, next ${left > 500 ? `in ${durationText(left)}` : 'due now'}`;
}
