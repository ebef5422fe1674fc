import { type ReactNode, useState } from 'react';
import type { BodyOf, BulkAct, Campaign } from '../../api/ask.ts';
import { useAct, useDialogAct, useDryRun, useLive } from '../../data/queries.ts';
import { Meter } from '../../kit/bars.tsx';
import { Button, stateText } from '../../kit/basics.tsx';
import { CheckField, Dialog, FormDialog, TextField, useForm } from '../../kit/form.tsx';
import { ActsMenu } from '../../kit/menu.tsx';
import { Trouble } from '../../kit/page.tsx';
import { count, counted } from '../../kit/words.ts';
import { outcomes } from './outcomes.ts';
import type { PeopleSearch } from './search.ts';

/** An act on everyone whom a filter finds: counted with whom it can be done to, confirmed, followed to its end. */
export type BulkBody = BodyOf<'POST /api/bulk'>;

type BulkDialogProps = {
  title: string;
  /** `Skip`; the number of people follows it. */
  verb: string;
  danger?: boolean;
  children: ReactNode;
  /** Null while nobody is chosen. */
  body: BulkBody | null;
  /** Fields that are sent with it and do not change who is meant. */
  more?: object;
  onClose(): void;
};

export function BulkDialog({ title, verb, danger, children, body: given, more, onClose }: BulkDialogProps) {
  const [id, setId] = useState<string | null>(null);
  const [now, setNow] = useState(false);
  const body = now && given?.act === 'retry' ? { ...given, now } : given;
  const asked = body && id === null ? { body: { ...body, dry_run: true } } : null;
  const counting = useDryRun('POST /api/bulk', asked);
  const found = body && counting.data && 'able' in counting.data ? counting.data : null;
  const begin = useDialogAct('POST /api/bulk', (act) => 'id' in act && setId(act.id));
  if (id !== null) {
    return (
      <Dialog onClose={onClose} title={title}>
        <BulkProgress id={id} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      // A title that asks for the act itself names the one whom it is about.
      act={found && title !== `${verb}?` ? `${verb} ${counted(found.able, 'person', 'people')}` : verb}
      keep="Keep as it is"
      danger={danger ?? false}
      onSend={() => begin.run({ body: { ...body!, ...more, confirm: found!.people } })}
      busy={begin.isPending}
      isEmpty={!found?.able}
      problem={begin.error}
    >
      {children}
      <div aria-live="polite">
        <p className="font-medium">
          {body === null ? 'Nobody is chosen yet.' : found ? foundText(found) : 'Counting …'}
        </p>
        {found && <Passed passed={found.passed} />}
      </div>
      {(now || (found?.passed.later ?? 0) > 0) && (
        <CheckField
          label="Also those who wait for another attempt: now, instead of at its time"
          help="Their hours and the contact rules hold as ever."
          checked={now}
          onChange={(event) => setNow(event.currentTarget.checked)}
        />
      )}
      {counting.error && <Trouble problem={counting.error} retry={() => void counting.refetch()} />}
    </FormDialog>
  );
}

function foundText({ people, able }: { people: number; able: number }): string {
  const who = `${counted(people, 'person', 'people')} found`;
  if (people === 0 || able === people) return `${who}.`;
  return able === 0
    ? `${who}, and it can be done for none of them.`
    : `${who}; it can be done for ${count(able)}.`;
}

const verbs: Record<BulkAct['act'], [doing: string, one: string, many: string]> = {
  retry: ['Made to wait for another call', 'waits for another call', 'wait for another call'],
  skip: ['Skipped', 'is skipped', 'are skipped'],
  suppress: ['Suppressed', 'is suppressed', 'are suppressed'],
  resolve: ['Settled', 'is settled', 'are settled'],
  export: ['Written', 'is in the file', 'are in the file'],
};

function BulkProgress({ id }: { id: string }) {
  const answer = useLive('GET /api/bulk/{id}', { id }, { everyMs: 1_000, on: ['bulk.'] });
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
          <Button small kind="danger" busy={stop.isPending} onClick={() => stop.run({ id })}>
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

function Passed({ passed }: { passed: Record<string, number> }) {
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

/** Tries people again by how their last call ended: one more attempt for each, whatever the settings allow. */
type RetryProps = { campaign: Campaign; onClose(): void };

export function RetryPeople({ campaign: { id, name, state }, onClose }: RetryProps) {
  const { chosen, box } = useForm({ outcome: 'no-answer busy failed' });
  const wanted = chosen('outcome');
  // Those who wait for a retry by the order are counted too, and can be called sooner.
  const filter = { campaign: id, outcome: wanted.join(',') };
  return (
    <BulkDialog
      title={`Try people of ${name} again`}
      verb="Try again"
      body={wanted.length === 0 ? null : { act: 'retry', filter }}
      onClose={onClose}
    >
      <p>
        Everyone whose last call ended in one of these ways gets one more attempt, whatever the settings
        allow.
      </p>
      <fieldset className="grid grid-cols-2 gap-1">
        <legend className="sr-only">Last outcome</legend>
        {outcomes.map((outcome) => (
          <CheckField key={outcome} label={stateText(outcome)} {...box('outcome', outcome)} />
        ))}
      </fieldset>
      {state === 'done' && <p className="text-quiet">The campaign is done, and continues with them.</p>}
      {state === 'paused' && (
        <p className="text-quiet">The campaign is paused: they are called when it is resumed.</p>
      )}
    </BulkDialog>
  );
}

/** An act on those who are chosen, or on everyone whom the filter finds. */
type BulkMenuProps = { campaign: Campaign; filter: PeopleSearch; chosen: readonly string[] };

const acts = {
  retry: [
    'Try again',
    'Everyone of them who is done gets one more attempt, whatever the settings allow. Others are passed over.',
  ],
  skip: ['Skip', 'Those who wait are taken off the list. A call in progress is not touched.'],
  suppress: ['Suppress', 'Their phones are not called any more, by any campaign.'],
  called: [
    'Settle unknown: was called',
    'For those whose call is unknown: it was made. They count as called.',
  ],
  'not-called': [
    'Settle unknown: was not called',
    'For those whose call is unknown: it was never made. They may be called again.',
  ],
  export: ['Export', 'Their rows as they are now are written to a file, which is kept for seven days.'],
} as const;
type Wanted = keyof typeof acts;
const menu = Object.entries(acts).map(([act, [words]]) => [act as Wanted, words] as const);
export const settles = menu.filter(([act]) => act === 'called' || act === 'not-called');

export function BulkMenu({ campaign: { id, balance }, filter, chosen }: BulkMenuProps) {
  // The people are those of the moment at which it was opened.
  const [wanted, setWanted] = useState<Wish | null>(null);
  // Of very many who have a part of a name, not all are looked at: no act is about them.
  const { name, ...exact } = filter;
  if (name !== undefined && chosen.length === 0)
    return <span className="text-sm text-quiet">Select people to act on them.</span>;
  // Rejected rows of a list have no person; how many of them do, the balance does not tell.
  const everyone = balance.rejected === 0 ? `all ${count(balance.rows)}` : 'everyone';
  const all = Object.keys(filter).length > 0 ? 'all who are found' : everyone;
  return (
    <>
      <ActsMenu
        small
        acts={menu}
        onChoose={(act) =>
          setWanted({
            act,
            filter: { campaign: id, ...(chosen.length > 0 ? { recipient: [...chosen] } : exact) },
          })
        }
      >
        Act on {chosen.length > 0 ? `${count(chosen.length)} selected` : all}
      </ActsMenu>
      {wanted && <ActDialog {...wanted} onClose={() => setWanted(null)} />}
    </>
  );
}

export type Wish = { act: Wanted; filter: BulkBody['filter'] };

export function ActDialog({ act, filter, onClose }: Wish & { onClose(): void }) {
  const { given, field, box, typed } = useForm({ reason: '', hang_up: '' });
  const [title, text] = acts[act];
  const isSettled = act === 'called' || act === 'not-called';
  const { reason } = given();
  return (
    <BulkDialog
      title={title}
      verb={isSettled ? 'Settle' : title}
      danger={act === 'skip' || act === 'suppress'}
      body={isSettled ? { act: 'resolve', as: act, filter } : { act, filter }}
      // These do not change who is meant, and are not counted by.
      more={{
        ...(reason && { reason }),
        ...(typed.hang_up && { hang_up: true }),
        ...(act === 'suppress' && { source: 'manual' }),
      }}
      onClose={onClose}
    >
      <p>{text}</p>
      {act === 'suppress' && <CheckField label="Hang up their calls in progress too" {...box('hang_up')} />}
      {(isSettled || act === 'suppress') && <TextField {...field('reason', 'Reason')} />}
    </BulkDialog>
  );
}
