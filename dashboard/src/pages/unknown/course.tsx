import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { ask, type Problem } from '../../api/ask.ts';
import type { Unknown, UnknownDetail } from '../../api/description.ts';
import { Badge, Mark } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Copy } from '../../kit/copy.tsx';
import { Raw } from '../../kit/data.tsx';
import { Trouble } from '../../kit/empty.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { Phone } from '../../kit/phone.tsx';
import { Time, useNow } from '../../kit/time.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { absenceWords, useService } from '../../shell/service.tsx';

/** The course of what was asked and what was found, a line each: from what you can look up now back to the request. */
type CourseProps = {
  unknown: Unknown;
  detail: UnknownDetail | undefined;
  /** Told of a call that the service knows and that can be this one; without it nothing can be asked. */
  onFound?: (callId: string) => void;
  /** Nothing is proposed before it is looked up. */
  isFirst?: boolean;
};

export function Course({ unknown, detail, onFound, isFirst }: CourseProps) {
  const { dialing_at: at, placed_at: placed, phone, redial, call_id: callId, reason, why } = unknown;
  const { not_called_from: from, phone_held_until: held } = unknown;
  const address = useService().data?.base_url;
  const now = useNow();
  const times = detail && detail.sent.requests > 1 ? `, ${count(detail.sent.requests)} times` : '';
  // The words are the machine’s: it names the service by its address.
  const back = unknown.detail?.replaceAll(address ? new URL(address).host : '\n', 'the service');
  return (
    <ol aria-label="What was asked, and found" className="space-y-2 text-sm">
      {onFound && (
        <Step shape="query" when="now">
          {callId === null ? (
            <>
              Look at the service’s page for a call to {phone ? <Phone phone={phone} /> : 'this phone'} at{' '}
              <Time at={at} />. If it shows one, look it up by its id:
            </>
          ) : (
            'The service may tell more of the call today:'
          )}
          <AtService attempt={unknown.attempt} callId={callId} onFound={onFound} isMain={isFirst} />
        </Step>
      )}
      <Step at={at} shape="check">
        The service was asked for a call{times}
        {detail?.from && (
          <>
            {' '}
            from <Phone phone={detail.from} />
          </>
        )}
        {detail?.agent && ` by ${detail.agent}`}
      </Step>
      {placed && (
        <Step at={placed} shape="check">
          It placed the call
        </Step>
      )}
      <Step shape="dash">
        <b className="font-medium">{heads[reason]}</b>: {why.charAt(0).toLowerCase()}
        {why.slice(1)}
        {(back || phone === null) && (
          <span className="block text-quiet first-letter:uppercase">
            {back ?? 'Hidden: this token may not see people'}
          </span>
        )}
      </Step>
      {callId && (
        <Step shape="disc">
          The call <code className="font-mono text-xs">{callId}</code> <Copy text={callId} />
          {unknown.status && `, last status ${unknown.status}`}
        </Step>
      )}
      <Listed unknown={unknown} />
      {from !== null && (
        <Step {...(Date.parse(from) > now && { at: from, when: 'until' })} shape="half">
          {Date.parse(from) > now
            ? 'the request may still arrive'
            : 'It is too old to arrive now: no call can come of it any more'}
        </Step>
      )}
      <Step {...(Date.parse(held) > now && { at: held, when: 'until' })} shape="pause">
        {Date.parse(held) > now
          ? 'no campaign calls the phone, unless you settle this'
          : 'Other campaigns may call the phone again'}
        {redial && '; the campaign’s rule will call this person once more'}
      </Step>
    </ol>
  );
}

/** The reasons, each in a few words. */
export const heads: Record<Unknown['reason'], string> = {
  lost: 'No answer came to the request',
  accepted: 'It was taken, without its id',
  crashed: 'The process ended while it dialled',
  stale: 'It was placed, and no end was told',
  mismatch: 'Its record is of another call',
  'lost-history': 'The history that knew it is lost',
};

type StepProps = {
  at?: string;
  when?: string;
  shape: 'check' | 'dash' | 'disc' | 'pause' | 'half' | 'query';
  children: ReactNode;
};

function Step({ at, when, shape, children }: StepProps) {
  return (
    <li className="grid grid-cols-[7rem_1rem_minmax(0,1fr)] items-baseline gap-x-2 max-sm:grid-cols-[5rem_1rem_minmax(0,1fr)]">
      <span className="text-right text-xs whitespace-nowrap text-quiet">
        {when} {at && <Time at={at} seconds={!when} />}
      </span>
      <span className={classes('translate-y-0.5', shape === 'half' ? 'text-warn' : 'text-quiet')}>
        <Mark shape={shape} />
      </span>
      <div className="min-w-0 first-letter:uppercase [overflow-wrap:anywhere]">{children}</div>
    </li>
  );
}

/** The service's own list of calls, as it was asked for this one. Of a call that is known, its record is asked for instead. */
function Listed({ unknown: { asked, call_id: callId } }: { unknown: Unknown }) {
  const service = useService();
  if (!service.data || (callId !== null && asked === null)) return null;
  if (asked === null) {
    return (
      <Step shape="dash">
        {service.data.can.find
          ? 'Its list of calls has not been asked for this one yet'
          : 'The service lists no calls, so Carillon cannot find this one by itself'}
      </Step>
    );
  }
  const times = asked.times === 1 ? 'once' : `${count(asked.times)} times`;
  const found = asked.calls.length === 0 ? 'nothing' : counted(asked.calls.length, 'call');
  return (
    <Step {...(asked.last && { at: asked.last })} shape="query">
      Its list of calls was asked {times}, and found {found}
      {asked.calls.length === 0 && `; ${absenceWords(service.data)}`}
      {asked.calls.length > 0 && asked.why && `; it does not settle this: ${asked.why}`}
      {asked.next && (
        <>
          ; it is asked again at <Time at={asked.next} />
        </>
      )}
      {asked.calls.map((id) => (
        <span key={id} className="flex items-center gap-1">
          <code className="min-w-0 truncate font-mono text-xs">{id}</code> <Copy text={id} />
        </span>
      ))}
    </Step>
  );
}

/** The service’s own record of the call, when a person asks: it costs one request of the key’s budget. */
type Told = NonNullable<UnknownDetail['at_service']>;
type AtServiceProps = {
  attempt: string;
  callId: string | null;
  onFound(callId: string): void;
  isMain: boolean | undefined;
};

function AtService({ attempt, callId, onFound, isMain }: AtServiceProps) {
  const field = useRef<HTMLInputElement>(null);
  const look = useMutation<Told | null, Problem, string>({
    mutationFn: async (given) => {
      const query = given === '' ? { ask: '1' as const } : { call_id: given };
      return (await ask('GET /api/unknown/{attempt}', { params: { attempt }, query })).at_service;
    },
    onSuccess: (told) => {
      if (told?.found && !told.mismatch && told.call_id) onFound(told.call_id);
    },
  });
  usePageKeys({ a: () => (field.current ? field.current.focus() : look.mutate('')) });
  return (
    <>
      <form
        className="mt-1.5 flex max-w-xl flex-wrap gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          look.mutate(field.current?.value.trim() ?? '');
        }}
      >
        {callId === null && (
          <input
            ref={field}
            required
            autoComplete="off"
            aria-label="The id of a call at the service"
            placeholder="Id of a call"
            className="min-h-8 min-w-0 flex-1 basis-32 rounded-md border border-line-strong bg-card px-3 text-sm"
          />
        )}
        <Button type="submit" kind={isMain ? 'main' : 'plain'} busy={look.isPending}>
          {callId === null ? 'Look up this id' : 'Ask the service'}
          <kbd className="key-in-button max-md:hidden">A</kbd>
        </Button>
      </form>
      <div role="status" className="mt-2 empty:hidden">
        {look.data && <AtServiceTold of={look.data} />}
        {look.error && <Trouble problem={look.error} />}
      </div>
    </>
  );
}

function AtServiceTold({ of: { call_id: id, found, mismatch, status, outcome, record } }: { of: Told }) {
  if (!found) return `The service does not know the call ${id}.`;
  if (mismatch) return `The call ${id} cannot be this one: ${mismatch}.`;
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
          <Raw value={record} />
        </div>
      )}
    </>
  );
}
