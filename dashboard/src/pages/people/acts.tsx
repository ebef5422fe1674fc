import { useState } from 'react';
import { ask, type Problem } from '../../api/ask.ts';
import type { FoundPerson, Person } from '../../api/description.ts';
import { tellProblem, useAct, useAsk } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { useMay } from '../../shell/me.ts';
import { Opens } from '../../shell/opens.tsx';
import { type Doubt, doubtOf, SettleDialog } from '../unknown/settle.tsx';
import { ListActs } from './edit.tsx';
import { EndCall } from './end-call.tsx';
import { Retry } from './retry.tsx';

/** The acts on one row: hang up or withdraw, ask for the record, try again, settle an unknown attempt, change the row. */
export function RowActs({ row, person }: { row: FoundPerson; person: Person | undefined }) {
  const may = useMay('operate');
  // Single calls are no list.
  const campaign = useAsk('GET /api/campaigns/{id}', { params: { id: row.campaign } }, { enabled: may });
  if (!may) return null;
  const { state, call_id: callId } = row;
  const unknown = row.attempts.find((each) => each.state === 'unknown');
  const isBusy = row.attempts.some((each) => each.state === 'dialing' || each.state === 'placed');
  return (
    <div className="flex flex-wrap gap-2">
      {isBusy && <Cancel row={row} act="Hang up" />}
      {(state === 'queued' || state === 'parked') && !isBusy && <Cancel row={row} act="Withdraw" />}
      <Retry row={row} />
      {person && campaign.data?.kind === 'list' && !row.erased_at && (
        <ListActs campaign={row.campaign} person={person} />
      )}
      {unknown && <Resolve attempt={unknown.id} />}
      {(callId !== null || isBusy) && state !== 'unknown' && <Refresh row={row} />}
    </div>
  );
}

function Refresh({ row }: { row: FoundPerson }) {
  const refresh = useAct('POST /api/calls/{id}/refresh', {
    done: ({ status }) => `The service was asked${status ? `: ${status}` : ''}. New fields are stored.`,
  });
  return (
    <Button busy={refresh.isPending} onClick={() => refresh.run({ params: { id: row.id } })}>
      Ask the service now
    </Button>
  );
}

function Cancel({ row, act }: { row: FoundPerson; act: 'Hang up' | 'Withdraw' }) {
  return (
    <Opens words={act} may="operate">
      {(close) => <EndCall id={row.id} isQueued={act === 'Withdraw'} onClose={close} />}
    </Opens>
  );
}

function Resolve({ attempt }: { attempt: string }) {
  const [doubt, setDoubt] = useState<Doubt | null>(null);
  const [isBusy, setBusy] = useState(false);
  const open = async () => {
    setBusy(true);
    try {
      setDoubt(doubtOf(await ask('GET /api/unknown/{attempt}', { params: { attempt } })));
    } catch (error) {
      tellProblem(error as Problem);
    }
    setBusy(false);
  };
  return (
    <>
      <Button kind="main" busy={isBusy} onClick={() => void open()}>
        Resolve
      </Button>
      {doubt && <SettleDialog of={{ attempts: [doubt] }} onClose={() => setDoubt(null)} />}
    </>
  );
}
