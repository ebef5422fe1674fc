import { useState } from 'react';
import type { AlertAddress } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Command } from '../../kit/copy.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { Ago, Since } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { RemoveAddress, TestAddress } from './acts.tsx';
import { AddAddress } from './add.tsx';
import { kindWords } from './words.ts';

/** Who is told of alerts, and whether it arrives. What is raised now stands on the overview. */
const beat = { on: ['alert.'], everyMs: 5_000 };

export function AlertsPage() {
  const addresses = useAsk('GET /api/alerts/addresses', {}, beat);
  const mayAdd = useMay('admin');
  const [adding, setAdding] = useState(false);
  return (
    <>
      <PageHead
        title="Alerts"
        acts={
          mayAdd && (
            <Button kind="main" onClick={() => setAdding(true)}>
              Add an address
            </Button>
          )
        }
      />
      <Read of={addresses}>{({ items }) => (items.length === 0 ? <Nobody /> : <Listed of={items} />)}</Read>
      {adding && <AddAddress onClose={() => setAdding(false)} />}
    </>
  );
}

function Nobody() {
  return (
    <Empty title="Nobody is told of alerts yet">
      <p>
        An alert is what needs a person: a key without credit, a loop that is stuck. It stands on the
        overview; add an address, and it is told to people elsewhere too, and again when it is over.
      </p>
      <Command>carillon alert add slack https://hooks.slack.com/services/...</Command>
    </Empty>
  );
}

function Listed({ of: items }: { of: readonly AlertAddress[] }) {
  const failing = items.filter(({ state }) => state === 'failing');
  return (
    <>
      <Glance
        level={failing.length > 0 ? 'act' : 'fine'}
        title={
          failing.length > 0
            ? `Alerts do not reach ${failing.length === 1 ? 'one address' : `${count(failing.length)} addresses`}.`
            : `${counted(items.length, 'address is', 'addresses are')} told of alerts.`
        }
      >
        {failing.length > 0
          ? 'Nothing is lost: what is held is sent when it is repaired.'
          : 'Each is told when an alert is raised, and when it is over.'}
      </Glance>
      <DataTable label="Addresses of alerts" rows={items} columns={columns} keyOf={({ id }) => id} />
    </>
  );
}

const columns: readonly Column<AlertAddress>[] = [
  {
    id: 'address',
    head: 'Address, and what it is told',
    cell: (of) => (
      <div className="py-1.5">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium break-all">{of.address}</span>
          <span className="text-quiet">{kindWords[of.kind]}</span>
          <Badge state={of.state === 'active' ? 'open' : 'failing'} label={of.state} />
        </p>
        <p className="text-quiet">
          {of.only?.join(', ') ?? 'every alert'}
          {of.at_most ? `, at most one message in ${of.at_most}` : ', each at once'}
        </p>
        <Arrival of={of} />
      </div>
    ),
  },
  { id: 'sent', head: 'Sent', number: true, from: 'sm', cell: ({ sent }) => count(sent) },
  { id: 'failed', head: 'Failed', number: true, from: 'sm', cell: ({ failed }) => count(failed) },
  { id: 'held', head: 'Held', number: true, from: 'sm', cell: ({ held }) => count(held) },
  {
    id: 'acts',
    head: '',
    number: true,
    cell: (of) => (
      <span className="inline-flex gap-2">
        <TestAddress of={of} />
        <RemoveAddress of={of} />
      </span>
    ),
  },
];

function Arrival({ of: { reason, since, next_at: next, sent_at: at } }: { of: AlertAddress }) {
  if (reason !== null)
    return (
      <p className="text-sm font-medium text-warn [overflow-wrap:anywhere]">
        It fails {since && <Since at={since} />}: {reason}.
        {next && (
          <>
            {' '}
            The next try is <Ago at={next} />.
          </>
        )}
      </p>
    );
  if (next !== null)
    return (
      <p className="text-sm text-quiet">
        The next message is <Ago at={next} />.
      </p>
    );
  return (
    at && (
      <p className="text-sm text-quiet">
        Last sent <Ago at={at} />.
      </p>
    )
  );
}
