import type { AlertAddress } from '../../api/description.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable, right } from '../../kit/table/data-table.tsx';
import { Ago, Since } from '../../kit/time.tsx';
import { showToast } from '../../kit/toast.tsx';
import { count, counted, spanText } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { useNeeds } from '../../shell/needs.ts';
import { AskFirst, useOpens } from '../../shell/opens.tsx';
import { AddAddress } from './add.tsx';
import { WhatIsWatched } from './watched.tsx';

/** Who is told of what needs a person, whether it arrives, and of what they are told. */
const beat = { on: ['alert.'], everyMs: 5_000 };

export function AlertsPage() {
  const addresses = useAsk('GET /api/alerts/addresses', {}, beat);
  const needs = useNeeds().items.length;
  const [add, dialog] = useOpens({ words: 'Add an address', may: 'admin', kind: 'main' }, (close) => (
    <AddAddress onClose={close} />
  ));
  return (
    <>
      <PageHead title="Alerts" acts={addresses.data?.items.length !== 0 && add} />
      {dialog}
      <Read of={addresses}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              title="Nobody is told of alerts yet"
              act={add}
              command="carillon alert add slack https://hooks.slack.com/services/..."
            >
              Add a Slack channel, an e-mail address or a program of yours: it is told when one of these
              begins, and when it is over, so that nobody must look at this page.
            </Empty>
          ) : (
            <>
              <Arrive of={items} needs={needs} />
              <DataTable
                label="Addresses of alerts"
                rows={[...items].sort((a, b) => Number(isFailing(b)) - Number(isFailing(a)))}
                columns={columns}
                keyOf={({ id }) => id}
              />
            </>
          )
        }
      </Read>
      <WhatIsWatched />
    </>
  );
}

const isFailing = ({ state }: AlertAddress) => state === 'failing';

function Arrive({ of: items, needs }: { of: readonly AlertAddress[]; needs: number }) {
  const failing = items.filter(isFailing).length;
  if (failing > 0)
    return (
      <Glance
        level="act"
        title={`Alerts do not reach ${failing === 1 ? 'one address' : counted(failing, 'address', 'addresses')}.`}
      >
        Nothing is lost: what is held is sent when it is repaired.
      </Glance>
    );
  return (
    <Glance
      level={needs > 0 ? 'watch' : 'fine'}
      title={needs > 0 ? `${counted(needs, 'thing needs', 'things need')} you.` : 'Nothing needs you.'}
    >
      {counted(items.length, 'address is', 'addresses are')} told when an alert is raised, and when it is
      over.
    </Glance>
  );
}

const kinds = { slack: 'Slack', email: 'e-mail', url: 'a program' };

const columns: readonly Column<AlertAddress>[] = [
  {
    id: 'address',
    head: 'Who is told',
    cell: (of) => (
      <div className="py-1.5">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium break-all">{of.address}</span>
          <span className="text-quiet">{kinds[of.kind]}</span>
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
  if (next === null && at === null) return null;
  return (
    <p className="text-sm text-quiet">
      {next === null ? 'Last sent' : 'The next message is'} <Ago at={(next ?? at)!} />.
    </p>
  );
}

/** Sends a test and says what happened. */
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
