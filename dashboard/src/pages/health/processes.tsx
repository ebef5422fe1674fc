import type { Process } from '../api/description.ts';
import { Badge } from '../kit/badge.tsx';
import { Section } from '../kit/card.tsx';
import { Empty } from '../kit/empty.tsx';
import { Ago, durationText } from '../kit/time.tsx';
import { classes, count, counted } from '../kit/words.ts';

/** The processes that work on the ledger: what each does, how it is, and the age of each loop's last round. */
export function Processes({ items }: { items: readonly Process[] }) {
  return (
    <Section id="processes" title="Processes" bare>
      {items.length === 0 ? (
        <Empty title="No process has been heard of">
          <code>carillon up</code> and <code>carillon worker</code> say here that they live.
        </Empty>
      ) : (
        <ul className="space-y-3">
          {items.map((process) => (
            <OneProcess key={process.id} of={process} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function OneProcess({ of: process }: { of: Process }) {
  const { host, pid, parts, version, node, queue, alive, trouble, loops, memory_bytes: memory } = process;
  const stuck = loops.filter((loop) => loop.stuck);
  return (
    <li className="border-t border-line py-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium break-all">
          {host} <span className="text-quiet">{pid}</span>
        </span>
        <Verdict alive={alive} trouble={trouble} isStuck={stuck.length > 0} />
      </p>
      <p className="mt-1 text-sm text-quiet">
        Carillon {version}, Node {node}, queue {queue}, {count(Math.round(memory / 1_048_576))} MiB, clock{' '}
        {count(process.clock_ahead_ms)} ms ahead, started <Ago at={process.started_at} />
      </p>
      {!alive && (
        <p className="mt-1 text-warn">
          It has not been heard of for {durationText(process.silent_ms)}: it died, or cannot reach the ledger.
          Look at its log, and start it again; its calls are taken over by the others.
        </p>
      )}
      {trouble && <p className="mt-1 text-warn">It must not dial: {troubles[trouble] ?? trouble}</p>}
      {stuck.length > 0 && (
        <p className="mt-1 text-warn">
          A loop is stuck: {stuck.map(({ name }) => name).join(', ')}. Restart the process; nothing is lost.
        </p>
      )}
      {loops.length > 0 && (
        <details open={stuck.length > 0} className="mt-1 text-sm">
          <summary className="w-max text-quiet">
            {counted(loops.length, 'loop')}
            {stuck.length === 0 && ', all in time'}
          </summary>
          <p className="mt-1 text-quiet">Its parts: {parts.join(', ')}.</p>
          <ul aria-label="Loops, last round ago" className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5">
            {loops.map(({ name, age_ms: age, stuck: isStuck }) => (
              <li key={name} className={classes('whitespace-nowrap', isStuck && 'font-medium text-bad')}>
                {name} <span className={isStuck ? '' : 'text-quiet'}>{ageText(age)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

const ageText = (ms: number) => (ms < 1_000 ? `${count(ms)} ms` : durationText(ms));

/** The codes for which a process must not dial, with what to do. */
const troubles: Readonly<Record<string, string>> = {
  'policy-differs':
    'its file of contact rules is not the one in force. Give all processes the same file, and restart it.',
  'keys-differ':
    'it has another secret or rate for a key than those that dial. Give all processes the same, and restart it.',
  'clock-off':
    'its clock differs from the ledger’s by more than a minute. Set the clock of its machine (NTP).',
  'ledger-unconfirmed':
    'the ledger has lost some of its history, and calls nobody. Run `carillon ledger confirm --lost-since TIME`.',
  'ledger-layout': 'the ledger has another layout than it knows. Run the same release everywhere.',
};

function Verdict({ alive, trouble, isStuck }: { alive: boolean; trouble: string | null; isStuck: boolean }) {
  if (!alive) return <Badge state="critical" label="silent" />;
  if (trouble) return <Badge state="critical" label="must not dial" />;
  if (isStuck) return <Badge state="warning" label="a loop is stuck" />;
  return <Badge state="open" label="alive" />;
}
