import type { BulkAct } from '../../../api/description.ts';
import { useAct } from '../../../data/queries.ts';
import { useLive } from '../../../data/use-live.ts';
import { Button } from '../../../kit/button.tsx';
import { Trouble } from '../../../kit/empty.tsx';
import { Meter } from '../../../kit/meter.tsx';
import { count, counted } from '../../../kit/words.ts';

/** How far an act on many people is, to its end; it can be stopped on the way. */
const verbs: Record<BulkAct['act'], [doing: string, one: string, many: string]> = {
  retry: ['Made to wait for another call', 'waits for another call', 'wait for another call'],
  skip: ['Skipped', 'is skipped', 'are skipped'],
  suppress: ['Suppressed', 'is suppressed', 'are suppressed'],
  resolve: ['Settled', 'is settled', 'are settled'],
  export: ['Written', 'is in the file', 'are in the file'],
};

export function BulkProgress({ id }: { id: string }) {
  const answer = useLive('GET /api/bulk/{id}', { params: { id } }, { everyMs: 1_000, on: ['bulk.'] });
  const stop = useAct('POST /api/bulk/{id}/stop');
  const act = answer.data;
  if (!act) return answer.error ? <Trouble problem={answer.error} /> : <p>Beginning …</p>;
  return (
    <div aria-live="polite" className="space-y-3">
      <Meter
        label="Progress"
        value={act.people > 0 ? act.seen / act.people : 0}
        words={`${verbs[act.act][0]}: ${count(act.done)} of ${counted(act.people, 'person', 'people')}`}
      />
      <p className="font-medium">{endText(act)}</p>
      <Passed passed={act.passed} />
      {act.state === 'running' && (
        <>
          <Button small kind="danger" busy={stop.isPending} onClick={() => stop.run({ params: { id } })}>
            Stop here
          </Button>
          <p className="text-sm text-quiet">It continues when this is closed; Activity has it.</p>
        </>
      )}
      {act.result && act.done > 0 && (
        <p className="flex gap-4">
          <a className="link" href={act.result} download>
            Download CSV
          </a>
          <a className="link" href={act.result.replace(/\.csv$/, '.ndjson')} download>
            Download NDJSON
          </a>
        </p>
      )}
    </div>
  );
}

function endText({ state, act, done, people, seen, reason }: BulkAct): string {
  const [, one, many] = verbs[act];
  const told = `${counted(done, 'person', 'people')} ${done === 1 ? one : many}`;
  if (state === 'running') return `Working: ${count(people - seen)} are left.`;
  if (state === 'done') return `Done: ${told}.`;
  if (state === 'stopped') return `Stopped: ${told}, and this stays so.`;
  return `Failed: ${reason ?? 'for an unknown reason'}. ${told}.`;
}

/** Why someone is passed over, in words; a state is its own word. */
const reasonWords: Record<string, string> = {
  changed: 'changed meanwhile, or no longer as the filter says',
  later: 'another attempt waits for its time',
  held: 'another attempt waits, and a contact rule holds it',
  callback: 'asked to be called back later',
  waiting: 'waiting for their call already',
  unknown: 'their call is unknown: settle it first',
  calling: 'their call is in progress',
  erased: 'erased',
  suppressed: 'suppressed: they must not be called',
  single_call: 'a single call, which is made once',
  canceled: 'their campaign is canceled',
  elsewhere: 'their campaign belongs to another service',
  no_outcome: 'nobody knows how their call ended',
  removed: 'taken off the list',
  too_late: 'their call is in progress',
  called: 'the service took their call',
  too_early: 'an answer may still come',
  failed: 'the service did not confirm it',
};

export function Passed({ passed }: { passed: Record<string, number> }) {
  const reasons = Object.entries(passed);
  if (reasons.length === 0) return null;
  return (
    <ul className="text-sm text-quiet">
      {reasons.map(([reason, n]) => (
        <li key={reason}>
          {counted(n, 'person', 'people')} left out: {reasonWords[reason] ?? reason}
        </li>
      ))}
    </ul>
  );
}
