import { useState } from 'react';
import type { FoundPerson, Person } from '../../api/ask.ts';
import { EndCall } from '../../campaigns/start-stop.tsx';
import { useAct, useAsk, useDialogAct } from '../../data/queries.ts';
import { Button, Icon } from '../../kit/basics.tsx';
import { AreaField, FormDialog, TextField, useForm } from '../../kit/form.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { ActsMenu } from '../../kit/menu.tsx';
import { phoneText, useNow } from '../../kit/values.tsx';
import { counted, readJson } from '../../kit/words.ts';
import { ConfirmAct, useAskedAct } from '../../shell/opens.tsx';
import { useMay } from '../../shell/reads.ts';
import { BulkDialog } from '../campaign/bulk.tsx';
import { AddPhones, AllowCalls } from '../suppressions/list.tsx';

/** The fields of a person that may be changed, also while the campaign runs: for attempts not yet planned. */
function EditPerson({ campaign, person, onClose }: { campaign: string; person: Person; onClose(): void }) {
  const { phone, name, attempts, variables, input } = person;
  const change = useDialogAct(
    'PATCH /api/campaigns/{id}/recipients/{rid}',
    onClose,
    () => 'Changed: it holds for their next call.',
  );
  const before = {
    name: name ?? '',
    phone: phone ?? '',
    timezone: typeof input?.timezone === 'string' ? input.timezone : '',
    variables: JSON.stringify(variables ?? {}, null, 2),
  };
  const { typed, field, frame } = useForm(before, change);
  const given = variablesOf(typed.variables, variables ?? {});
  const send = () => {
    const is = (field: keyof typeof before) => typed[field].trim() !== before[field];
    change.run({
      id: campaign,
      rid: person.id,
      body: {
        ...(is('name') && { name: typed.name.trim() || null }),
        ...(is('phone') && { phone: typed.phone.trim() }),
        ...(is('timezone') && { timezone: typed.timezone.trim() || null }),
        ...(is('variables') && given && { variables: given }),
      },
    });
  };
  return (
    <FormDialog
      title={`Change ${name ?? 'this person'} in ${campaign}`}
      onClose={onClose}
      act="Change 1 person"
      onSend={send}
      isEmpty={given === null}
      {...frame}
    >
      <TextField {...field('name', 'Name')} />
      <TextField
        {...field('phone', 'Phone', attempts.length > 0 ? 'It stays: they were tried on it.' : undefined)}
        disabled={attempts.length > 0}
      />
      <TextField {...field('timezone', 'Time zone')} placeholder="America/Chicago" />
      <AreaField
        {...field('variables', 'Variables of the next call', 'JSON. One that is left out is removed.')}
        {...(!given && { error: 'must be JSON such as {"city": "Boston"}' })}
      />
    </FormDialog>
  );
}

/** The variables to set, and null for those that were left out; null where it is not an object. */
function variablesOf(text: string, before: Record<string, unknown>): Record<string, unknown> | null {
  const typed = readJson(text);
  if (typeof typed !== 'object' || typed === null || Array.isArray(typed)) return null;
  const removed = Object.keys(before).filter((name) => !(name in typed));
  return { ...typed, ...Object.fromEntries(removed.map((name) => [name, null])) };
}

/** The acts on a person: suppress or allow, and on the row that is open; the API says where one comes too late. */
type ActsProps = {
  row: FoundPerson;
  rows: readonly FoundPerson[];
  person: Person | undefined;
  onErased(): void;
};
type Wanted = 'hang-up' | 'suppress' | 'retry' | 'edit' | 'remove' | 'withdraw' | 'refresh' | 'erase';

export function PersonActs({ row, rows, person, onErased }: ActsProps) {
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const may = useMay('operate');
  const mayErase = useMay('admin');
  const stops = useStops(rows);
  // Single calls are no list.
  const campaign = useAsk('GET /api/campaigns/{id}', { id: row.campaign }, { enabled: may });
  const refresh = useAct('POST /api/calls/{id}/refresh', {
    done: ({ status }) => `The service was asked${status ? `: ${status}` : ''}. New fields are stored.`,
  });
  const everywhere = stops?.filter(({ campaign: only }) => only === null) ?? [];
  // Who is suppressed already is not asked about; nor later, when calls are allowed again.
  usePageKeys({ s: () => stops && everywhere.length === 0 && setWanted('suppress') });
  useAskedAct((act) => (act === 'suppress' || act === 'retry') && setWanted(act));
  if (!may) return null;
  const { state, reason, phone } = row;
  const isBusy = row.attempts.some((each) => each.state === 'dialing' || each.state === 'placed');
  const isQueued = (state === 'queued' || state === 'parked') && !isBusy;
  const isListed = person !== undefined && campaign.data?.kind === 'list' && !row.erased_at;
  const who = row.name?.split(' ')[0] ?? 'this person';
  const isLater = state === 'waiting' && reason === 'retry';
  const acts = (
    [
      ['retry', isLater ? 'Call now' : 'Call again', isLater || state === 'done'],
      ['edit', 'Change name or data', isListed],
      ['remove', 'Take off the list', isListed && (isQueued || state === 'waiting')],
      ['withdraw', 'Withdraw', isQueued],
      ['refresh', 'Ask the service about this call', (isBusy || row.call_id) && state !== 'unknown'],
      ['erase', 'Erase for good', mayErase && phone],
    ] as const
  ).flatMap(([id, words, can]) => (can ? [[id, words] as const] : []));
  const onClose = () => setWanted(null);
  const campaigns = counted(new Set(rows.map(({ campaign: name }) => name)).size, 'campaign');
  return (
    <>
      {isBusy && (
        <Button acts onClick={() => setWanted('hang-up')}>
          <Icon name="down" />
          <span data-words>Hang up</span>
        </Button>
      )}
      {everywhere.length > 0 ? (
        <AllowCalls rows={everywhere} words="Allow calls" />
      ) : (
        stops && (
          <Button acts onClick={() => setWanted('suppress')}>
            <Icon name="bar" />
            <span data-words>Suppress</span>
            <kbd className="key-in-button max-md:hidden">S</kbd>
          </Button>
        )
      )}
      {acts.length > 0 && (
        <ActsMenu
          acts={acts}
          onChoose={(act) => (act === 'refresh' ? refresh.run({ id: row.id }) : setWanted(act))}
        >
          <Icon name="more" />
          <span className="sr-only">More</span>
        </ActsMenu>
      )}
      {wanted === 'suppress' && stops && everywhere.length === 0 && (
        <SuppressPerson rows={rows} onClose={onClose} />
      )}
      {wanted === 'retry' && (
        <BulkDialog
          title={`Call ${who} ${isLater ? 'now' : 'again'}?`}
          verb={`Call ${who} ${isLater ? 'now' : 'again'}`}
          body={{ act: 'retry', filter: { recipient: [row.id] }, ...(isLater && { now: true }) }}
          onClose={onClose}
        >
          {isLater
            ? `The next attempt of ${row.campaign} is made now instead of at its time,`
            : `The person waits again on ${row.campaign}, with one more attempt, and is called`}{' '}
          when the campaign runs and every rule allows it.
        </BulkDialog>
      )}
      {wanted === 'edit' && person && (
        <EditPerson campaign={row.campaign} person={person} onClose={onClose} />
      )}
      {wanted === 'hang-up' && <EndCall id={row.id} who={row.name} isOn={isBusy} onClose={onClose} />}
      {wanted === 'withdraw' && <EndCall id={row.id} isQueued onClose={onClose} />}
      {wanted === 'remove' && (
        <ConfirmAct
          onClose={onClose}
          title="Take this person off the list?"
          act="Take 1 person off the list"
          danger
          name="DELETE /api/campaigns/{id}/recipients/{rid}"
          asked={{ id: row.campaign, rid: row.id }}
          done={() => 'One person is taken off the list.'}
        >
          {row.campaign} does not call them any more. The records of their earlier calls stay.
        </ConfirmAct>
      )}
      {wanted === 'erase' && phone && (
        <ConfirmAct
          onClose={onClose}
          title={`Erase ${phoneText(phone)}?`}
          act={`Erase 1 person from ${campaigns}`}
          danger
          name="POST /api/erase"
          asked={{ body: { phone } }}
          done={({ campaigns: n, pending }) =>
            pending
              ? 'The rest is erased when the call has ended.'
              : `The person is erased from ${counted(n, 'campaign')}.`
          }
          onDone={onErased}
        >
          Phone, name, what the list said, what was said and learned, and the history are lost in {campaigns}.
          This cannot be undone. A call in progress is hung up, where the service can. States, outcomes,
          attempts and costs stay, so that every report is as it was. Nobody calls this person again. To stop
          calls only, suppress the person.
        </ConfirmAct>
      )}
    </>
  );
}

function numbersOf(rows: readonly FoundPerson[]): string[] {
  const known = rows.flatMap(({ phone, phones }) => [phone, ...(phones ?? []).map((each) => each.phone)]);
  return [...new Set(known.flatMap((phone) => phone || []))];
}

/** What stops calls to any of them now; undefined until it is read. */
export function useStops(rows: readonly FoundPerson[]) {
  const now = useNow();
  const query = { phone: numbersOf(rows), limit: 100 };
  const list = useAsk('GET /api/suppressions', query, { enabled: query.phone.length > 0 });
  return list.data?.items.filter(({ until }) => until === null || Date.parse(until) > now);
}

/** By every campaign or by one of those that have the person, on all numbers. */
export function SuppressPerson({ rows, onClose }: { rows: readonly FoundPerson[]; onClose(): void }) {
  const names = [...new Set(rows.map(({ campaign }) => campaign))];
  const campaigns = names.map((name) => ({ value: name, label: `Only ${name}` }));
  return <AddPhones person={numbersOf(rows)} campaigns={campaigns} onClose={onClose} />;
}
