import type { ReactNode } from 'react';
import type { Unknown, UnknownDetail } from '../../api/description.ts';
import { Mark } from '../../kit/badge.tsx';
import { Copy } from '../../kit/copy.tsx';
import { Time, useNow } from '../../kit/time.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { absenceWords, useService } from '../../shell/service.tsx';

/** The course of what was asked and what was found, a line each: from the request to the time from which it can be freed. */
type AskedProps = { unknown: Unknown; detail: UnknownDetail | undefined };

export function Asked({ unknown, detail }: AskedProps) {
  const { dialing_at: at, placed_at: placed, phone, redial } = unknown;
  const { not_called_from: from, phone_held_until: held } = unknown;
  const address = useService().data?.base_url;
  const now = useNow();
  const times = detail && detail.sent.requests > 1 ? `, ${count(detail.sent.requests)} times` : '';
  // The words are the machine’s: it names the service by its address.
  const back = unknown.detail?.replaceAll(address ? new URL(address).host : '\n', 'the service');
  return (
    <ol aria-label="What was asked, and found" className="space-y-1.5 text-sm">
      <Step at={at} shape="check">
        The service was asked for a call{times}
      </Step>
      {placed && (
        <Step at={placed} shape="check">
          It placed the call
        </Step>
      )}
      <Step shape="dash">
        {back ?? (phone === null ? 'Hidden: this token may not see people' : 'Nothing came back')}
      </Step>
      <Listed unknown={unknown} />
      {from !== null && (
        <Step {...(Date.parse(from) > now && { at: from, until: true })} shape="half">
          {Date.parse(from) > now
            ? 'the request may still arrive'
            : 'It is too old to arrive now: no call can come of it any more'}
        </Step>
      )}
      <Step {...(Date.parse(held) > now && { at: held, until: true })} shape="pause">
        {Date.parse(held) > now
          ? 'no campaign calls the phone, unless you settle this'
          : 'Other campaigns may call the phone again'}
        {redial && '; the campaign’s rule will call this person once more'}
      </Step>
    </ol>
  );
}

type StepProps = {
  at?: string | undefined;
  until?: boolean;
  shape: 'check' | 'dash' | 'pause' | 'half' | 'query';
  children: ReactNode;
};

function Step({ at, until, shape, children }: StepProps) {
  return (
    <li className="grid grid-cols-[7rem_1rem_minmax(0,1fr)] items-baseline gap-x-2">
      <span className="text-right text-xs whitespace-nowrap text-quiet">
        {until && 'until '}
        {at && <Time at={at} seconds={!until} />}
      </span>
      <span className={classes('self-center', shape === 'half' ? 'text-warn' : 'text-quiet')}>
        <Mark shape={shape} />
      </span>
      <span className="min-w-0 first-letter:uppercase [overflow-wrap:anywhere]">{children}</span>
    </li>
  );
}

/** The service's own list of calls, as it was asked for this one. Of a call that is known, its record is asked for instead. */
function Listed({ unknown: { asked, call_id: callId } }: { unknown: Unknown }) {
  const service = useService();
  if (!service.data || (callId !== null && asked === null)) return null;
  if (asked === null) {
    return (
      <Step shape="query">
        {service.data.can.find
          ? 'Its list of calls has not been asked for this one yet'
          : 'It lists no calls, so it cannot be asked for this one'}
      </Step>
    );
  }
  const times = asked.times === 1 ? 'once' : `${count(asked.times)} times`;
  const found = asked.calls.length === 0 ? 'nothing' : counted(asked.calls.length, 'call');
  return (
    <Step at={asked.last ?? undefined} shape="query">
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
