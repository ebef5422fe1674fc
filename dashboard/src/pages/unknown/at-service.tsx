import { useRef, useState } from 'react';
import { ask, type Problem } from '../../api/ask.ts';
import type { UnknownDetail } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Trouble } from '../../kit/empty.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { Tree } from '../../kit/tree.tsx';

/** The service’s own record of the call, when a person asks: it costs one request of the key’s budget. */
type Record = NonNullable<UnknownDetail['at_service']>;
type Asked =
  | { state: 'idle' | 'asking' }
  | { state: 'told'; told: Record }
  | { state: 'failed'; problem: Problem };

type AtServiceProps = {
  attempt: string;
  callId: string | null;
  /** Told of a call that the service knows and that can be this one. */
  onFound(callId: string): void;
};

export function AtService({ attempt, callId, onFound }: AtServiceProps) {
  const field = useRef<HTMLFormElement>(null);
  const [asked, setAsked] = useState<Asked>({ state: 'idle' });
  const send = async (given: string) => {
    setAsked({ state: 'asking' });
    try {
      const query = given === '' ? { ask: '1' as const } : { call_id: given };
      const { at_service: told } = await ask('GET /api/unknown/{attempt}', { params: { attempt }, query });
      setAsked(told ? { state: 'told', told } : { state: 'idle' });
      if (told?.found && !told.mismatch && told.call_id) onFound(told.call_id);
    } catch (error) {
      setAsked({ state: 'failed', problem: error as Problem });
    }
  };
  usePageKeys({
    a: () => {
      const input = field.current?.querySelector('input');
      if (input) input.focus();
      else void send('');
    },
  });
  return (
    <div>
      <form
        ref={field}
        className="flex flex-wrap gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void send(String(new FormData(event.currentTarget).get('call_id') ?? '').trim());
        }}
      >
        {callId === null && (
          <input
            name="call_id"
            required
            autoComplete="off"
            aria-label="The id of a call at the service"
            placeholder="The id of a call that you found at the service"
            className="min-h-8 min-w-0 flex-1 basis-48 rounded-md border border-line-strong bg-card px-3 text-sm"
          />
        )}
        <Button type="submit" busy={asked.state === 'asking'}>
          {callId === null ? 'Look up this id' : 'Ask the service'}
          <kbd className="key-in-button max-md:hidden">A</kbd>
        </Button>
      </form>
      <div role="status" className="mt-2 empty:hidden">
        {asked.state === 'told' && <Told record={asked.told} />}
        {asked.state === 'failed' && <Trouble problem={asked.problem} />}
      </div>
    </div>
  );
}

function Told({ record: { call_id: callId, found, mismatch, status, outcome, record } }: { record: Record }) {
  if (!found) return <p>The service does not know the call {callId}.</p>;
  if (mismatch)
    return (
      <p>
        The call {callId} cannot be this one: {mismatch}.
      </p>
    );
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <span>
          The service knows the call{status && <>: {status}</>}
          {outcome === null && ', which has not ended'}.
        </span>
        {outcome && <Badge state={outcome} />}
      </p>
      {record && (
        <div className="mt-1 rounded-md bg-sunken px-3 py-2">
          <Tree value={record} />
        </div>
      )}
    </>
  );
}
