import type { Process } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { DataTable, left, right } from '../../kit/table/data-table.tsx';
import { Ago, durationText } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';

/** The processes that work on the ledger: how each is, what to do where one is not well, and what it uses. */
export const Processes = ({ items }: { items: readonly Process[] }) => (
  <Section id="processes" title="Processes">
    <DataTable label="Processes" rows={items} columns={columns} keyOf={({ id }) => id} />
  </Section>
);

const columns = [
  left<Process>('process', 'Process', (process) => (
    <span className="block py-1">
      <span className="font-medium break-all" title={process.parts.join(', ')}>
        {process.host} <span className="font-normal text-quiet">process {process.pid}</span>
      </span>
      <span className="block max-w-prose text-warn empty:hidden">{adviceOf(process)}</span>
    </span>
  )),
  left<Process>('state', 'State', ({ alive, trouble, loops }) => {
    if (!alive || trouble) return <Badge state="critical" label={alive ? 'must not dial' : 'silent'} />;
    const isStuck = loops.some(({ stuck }) => stuck);
    return <Badge state={isStuck ? 'warning' : 'done'} label={isStuck ? 'a loop is stuck' : 'alive'} />;
  }),
  right<Process>('loops', 'Background work', ({ loops }) => (
    <span title={loops.map(({ name, age_ms: age }) => `${name}: ${durationText(age)} ago`).join('\n')}>
      {count(loops.filter(({ stuck }) => !stuck).length)} of {count(loops.length)} on time
    </span>
  )),
  right<Process>(
    'memory',
    'Memory',
    ({ memory_bytes: bytes }) => `${count(Math.round(bytes / 1_048_576))} MiB`,
  ),
  right<Process>('clock', 'Clock ahead', ({ clock_ahead_ms: ahead }) => `${count(ahead)} ms`, { from: 'lg' }),
  right<Process>('started', 'Started', ({ started_at: at }) => <Ago at={at} />),
  right<Process>('build', 'Release', ({ version }) => version, { from: 'lg' }),
];

function adviceOf({ alive, silent_ms: silent, trouble, loops }: Process): string {
  if (!alive)
    return `Not heard of for ${durationText(silent)}: it died, or cannot reach the ledger. Look at its log, and start it again.`;
  // Of all but this, an alert tells what to do, among what needs you.
  if (trouble === 'ledger-layout')
    return 'The ledger has another layout than it knows: run the same release everywhere.';
  const stuck = loops.filter((loop) => loop.stuck).map(({ name }) => name);
  return stuck.length > 0 ? `Stuck: ${stuck.join(', ')}. Restart the process; nothing is lost.` : '';
}
