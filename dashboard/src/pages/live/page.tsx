import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { LiveCalls } from '../../api/description.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Phone } from '../../kit/phone.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { Ago, lastsText, useSecond } from '../../kit/time.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { personAddress } from '../../shell/find.ts';
import { useFreeCalls, useLiveCalls } from '../../shell/live-calls.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import type { LiveSearch } from './search.ts';

/** Everyone who is on the line now, the longest first; a call can be hung up in its row. */
const address = getRouteApi('/live');

type Row = LiveCalls['items'][number] & { longest: string };

/** Nobody is on the line: and who was, last. */
function Quiet() {
  const last = useAsk('GET /api/calls', { query: { limit: 1 } }, { on: ['attempt.'] }).data?.items[0];
  return (
    <Empty title="Nobody is on the line">
      <p>Calls stand here from the first ring to the end, the longest first.</p>
      {last?.ended_at && (
        <p>
          The last one, with{' '}
          <PageLink to={personAddress(last)} className="link">
            {last.name ?? <Phone phone={last.phone} />}
          </PageLink>
          , ended <Ago at={last.ended_at} />.
        </p>
      )}
    </Empty>
  );
}

export function LivePage() {
  const { phase, ...narrowed }: LiveSearch = address.useSearch();
  const navigate = address.useNavigate();
  const live = useLiveCalls(narrowed);
  const room = useFreeCalls();
  const mayAct = useMay('operate');
  const [hangingUp, setHangingUp] = useState<Row | null>(null);
  const items = live.data?.items;
  const rows = useMemo<Row[]>(() => {
    const longest = items?.[0]?.dialed_at ?? '';
    const wanted = items?.filter((each) => !phase || (each.phase === 'talking') === (phase === 'talking'));
    return (wanted ?? []).map((each) => ({ ...each, longest }));
  }, [items, phase]);
  const columns = useMemo(() => columnsOf(mayAct ? setHangingUp : null), [mayAct]);
  const go = (change: LiveSearch) => void navigate({ search: { ...narrowed, ...change }, replace: true });
  if (!live.data)
    return (
      <>
        <PageHead title="Live calls" />
        <Read of={live} lines={8}>
          {() => null}
        </Read>
      </>
    );
  const { counts } = live.data;
  const ringing = counts.ringing + counts.dialing;
  const all = ringing + counts.talking;
  const isNarrowed = Object.keys(narrowed).length > 0;

  return (
    <>
      <PageHead
        title="Live calls"
        state={
          <span className="text-sm text-quiet max-sm:hidden">
            {counted(all, 'person is', 'people are')} on the line
            {room && !isNarrowed && `, of at most ${count(room.most)}: ${count(room.free)} free`}
          </span>
        }
      />
      {all === 0 ? (
        <Quiet />
      ) : (
        <>
          <Chips label="Phase">
            <Chip on={!phase} onClick={() => go({})} label="All" n={all} />
            <Chip
              on={phase === 'talking'}
              onClick={() => go({ phase: 'talking' })}
              label="talking"
              n={counts.talking}
            />
            <Chip
              on={phase === 'ringing'}
              onClick={() => go({ phase: 'ringing' })}
              label="ringing"
              n={ringing}
            />
            {isNarrowed && (
              <Button small kind="quiet" onClick={() => void navigate({ search: {} })}>
                {Object.values(narrowed).join(', ')}: show all
              </Button>
            )}
          </Chips>
          <DataTable
            label="Calls in progress"
            rows={rows}
            columns={columns}
            keyOf={({ attempt }) => attempt}
            keys={mayAct ? { h: setHangingUp } : {}}
          />
          {items!.length < all && (
            <p className="mt-2 text-sm text-quiet">
              The longest {count(items!.length)} of {counted(all, 'call')}.
            </p>
          )}
        </>
      )}
      {hangingUp && <HangUp call={hangingUp} onClose={() => setHangingUp(null)} />}
    </>
  );
}

function columnsOf(hangUp: ((row: Row) => void) | null): readonly Column<Row>[] {
  const quiet = (text: string | null) => <span className="text-quiet">{text ?? '–'}</span>;
  return [
    {
      id: 'phase',
      head: 'Status',
      cell: ({ phase, status }) => (
        <span title={status ?? undefined}>
          <Badge
            state={phase === 'dialing' ? 'ringing' : phase}
            {...(phase === 'dialing' && { label: 'dialing' })}
          />
        </span>
      ),
    },
    { id: 'time', head: 'On the line', cell: (row) => <OnTheLine of={row} /> },
    {
      id: 'who',
      head: 'Who',
      cell: ({ name, phone, recipient }) => (
        <PageLink to={personAddress({ phone, id: recipient })} className="font-medium hover:underline">
          {name ?? <Phone phone={phone} />}
        </PageLink>
      ),
    },
    { id: 'phone', head: 'Phone', from: 'lg', cell: ({ phone }) => <Phone phone={phone} /> },
    {
      id: 'campaign',
      head: 'Campaign',
      from: 'sm',
      cell: ({ campaign, campaign_id: id }) => (
        <PageLink to={`/campaigns/${id}`} className="text-quiet hover:underline">
          {campaign}
        </PageLink>
      ),
    },
    { id: 'agent', head: 'Agent', from: 'xl', cell: ({ agent }) => quiet(agent) },
    { id: 'from', head: 'From', from: 'xl', cell: ({ from }) => quiet(from ?? 'service’s choice') },
    { id: 'key', head: 'Key', from: 'lg', cell: ({ key }) => quiet(key) },
    ...(hangUp
      ? [
          {
            id: 'act',
            head: '',
            number: true,
            cell: (row: Row) => (
              <Button small onClick={() => hangUp(row)} aria-label={`Hang up ${row.name ?? row.phone ?? ''}`}>
                Hang up
              </Button>
            ),
          },
        ]
      : []),
  ];
}

function OnTheLine({ of: { dialed_at: at, longest, phase } }: { of: Row }) {
  const now = useSecond();
  const part = (now - Date.parse(at)) / Math.max(1, now - Date.parse(longest));
  return (
    <span className="flex items-center gap-2.5">
      <span className="number w-12 font-medium">{lastsText(at, now)}</span>
      <span
        aria-hidden="true"
        className={classes(
          'h-2 rounded-sm border-[1.5px] border-live-fill max-md:hidden',
          phase === 'talking' && 'bg-live-fill',
        )}
        style={{ width: `${Math.max(4, Math.min(1, part) * 160)}px` }}
      />
    </span>
  );
}

function HangUp({ call: { attempt, name, phone, campaign }, onClose }: { call: Row; onClose(): void }) {
  const cancel = useAct('POST /api/calls/{id}/cancel', {
    done: () => 'The call is hung up.',
    onDone: onClose,
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Hang up ${name ?? phone ?? 'this call'}?`}
      act="Hang up 1 call"
      danger
      busy={cancel.isPending}
      onAct={() => cancel.run({ params: { id: attempt } })}
    >
      The person is cut off now, before any other request of the key. The call of {campaign} ends as canceled.
    </Confirm>
  );
}
