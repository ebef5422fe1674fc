import type { Alert, AlertAddress } from '../../api/description.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Glance, type Level } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { type Column, DataTable, right } from '../../kit/table/data-table.tsx';
import { timeText } from '../../kit/time.tsx';
import { showToast } from '../../kit/toast.tsx';
import { count, counted, spanText } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { AskFirst, useOpens } from '../../shell/opens.tsx';
import { Lately } from '../activity/entry.tsx';
import { AddAddress } from './add.tsx';
import { isCritical, kindWords, WhatIsWatched } from './watched.tsx';

/** What is on now, who is told of it and whether it arrives, and all that is watched. */
const beat = { on: ['alert.'], everyMs: 5_000 };

export function AlertsPage() {
  const addresses = useAsk('GET /api/alerts/addresses', {}, beat);
  const alerts = useLive('GET /api/alerts', {}, { everyMs: 30_000, on: beat.on });
  const [add, dialog] = useOpens({ words: 'Add an address', may: 'admin', kind: 'main' }, (close) => (
    <AddAddress onClose={close} />
  ));
  const isNobodyTold = addresses.data?.items.length === 0;
  const raised = alerts.data?.items;
  if (!raised || !addresses.data)
    return <Opening title="Alerts" of={alerts.error ? alerts : { ...addresses, data: undefined }} />;
  const { items } = addresses.data;
  const [level, title, text] = standingOf(items, raised);
  return (
    <>
      <PageHead title="Alerts" acts={!isNobodyTold && add} />
      {dialog}
      <Glance level={level} title={title} acts={isNobodyTold && add}>
        {text}
      </Glance>
      {items.length > 0 && (
        <DataTable
          label="Addresses of alerts"
          rows={[...items].sort((a, b) => Number(isFailing(b)) - Number(isFailing(a)))}
          columns={columns}
          keyOf={({ id }) => id}
        />
      )}
      <WhatIsWatched raised={raised} addresses={items} />
      <Lately title="Over lately" verb="alert.clear" most={5} />
    </>
  );
}

const isFailing = ({ state }: AlertAddress) => state === 'failing';

function standingOf(items: readonly AlertAddress[], raised: readonly Alert[]): [Level, string, string?] {
  const on = raised.length === 0 ? 'Nothing is on' : `${counted(raised.length, 'alert is', 'alerts are')} on`;
  const failing = items.filter(isFailing).length;
  if (failing > 0) {
    const where = failing === 1 ? 'one address' : counted(failing, 'address', 'addresses');
    return ['act', `Alerts do not reach ${where}.`, `${on}. What is held is sent when it is repaired.`];
  }
  const level = raised.some(isCritical) ? 'act' : raised.length > 0 ? 'watch' : 'fine';
  if (items.length > 0)
    return [level, `${on}; ${counted(items.length, 'address is', 'addresses are')} told.`];
  const add = 'Add a Slack channel, an e-mail address or a program of yours: it is told at once.';
  if (level === 'fine') return ['watch', 'Nobody is told of alerts.', add];
  return [level, `${on}; nobody is told.`, add];
}

const columns: readonly Column<AlertAddress>[] = [
  {
    id: 'address',
    head: 'Who is told',
    cell: (of) => (
      <div className="py-1.5">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium break-all">{of.address}</span>
          <span className="text-quiet">{kindWords[of.kind]}</span>
          <Badge state={isFailing(of) ? 'failing' : 'open'} label={of.state} />
        </p>
        <p className="text-quiet">
          {of.only?.join(', ') ?? 'every alert'}
          {of.at_most ? `, at most one message in ${spanText(of.at_most)}` : ', each at once'}
        </p>
        <Arrival of={of} />
      </div>
    ),
  },
  right('sent', 'Sent', ({ sent }) => count(sent)),
  right('failed', 'Failed', ({ failed }) => count(failed)),
  right('held', 'Held', ({ held }) => count(held)),
  {
    id: 'acts',
    head: '',
    number: true,
    cell: (of) => (
      <span className="inline-flex flex-wrap justify-end gap-2">
        <Test of={of} />
        <Remove of={of} />
      </span>
    ),
  },
];

function Arrival({ of: { reason, since, next_at: next, sent_at: at } }: { of: AlertAddress }) {
  const told = [
    reason !== null && `It fails${since ? ` since ${timeText(since)}` : ''}: ${reason}.`,
    reason === null && at && `Last sent at ${timeText(at)}.`,
    next && `The next message goes at ${timeText(next)}.`,
  ];
  return (
    <p className={reason === null ? 'text-quiet' : 'font-medium text-warn [overflow-wrap:anywhere]'}>
      {told.filter(Boolean).join(' ')}
    </p>
  );
}

function Test({ of: { id } }: { of: AlertAddress }) {
  const mayTest = useMay('operate');
  const test = useAct('POST /api/alerts/addresses/{id}/test', {
    onDone({ delivered, answer, error, ms }) {
      if (delivered) showToast({ kind: 'done', text: `The test arrived in ${count(ms)} ms: ${answer}.` });
      else showToast({ kind: 'failed', text: `The test did not arrive: ${error}.` });
    },
  });
  if (!mayTest) return null;
  return (
    <Button small busy={test.isPending} onClick={() => test.run({ params: { id } })}>
      Test
    </Button>
  );
}

function Remove({ of: { id, address, held } }: { of: AlertAddress }) {
  const remove = useAct('DELETE /api/alerts/addresses/{id}', {
    quiet: true,
    done: () => 'The address is removed.',
  });
  return (
    <AskFirst
      words="Remove"
      may="admin"
      small
      title="Remove the address?"
      act="Remove"
      of={remove}
      onAct={() => remove.mutateAsync({ params: { id } })}
    >
      <p className="break-all">{address}</p>
      <p>
        It is told of no alert any more
        {held > 0 && `, and ${counted(held, 'alert that waits is', 'alerts that wait are')} forgotten`}.
      </p>
    </AskFirst>
  );
}
