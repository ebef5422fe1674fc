import type { ReactNode } from 'react';
import type { Unknown, UnknownDetail } from '../../api/description.ts';
import { Mark } from '../../kit/badge.tsx';
import { Copy } from '../../kit/copy.tsx';
import { Time, useNow } from '../../kit/time.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { absenceWords, useService } from '../../shell/service.tsx';

/** The course of what was asked and what was found, from the request to the time from which it can be freed. */
type AskedProps = { unknown: Unknown; detail: UnknownDetail | undefined };

export function Asked({ unknown, detail }: AskedProps) {
  const { dialing_at: at, placed_at: placed, phone, redial, phone_held_until: held } = unknown;
  const now = useNow();
  return (
    <div className="min-w-0">
      <h3 className="mb-1.5 font-semibold">What was asked, and found</h3>
      <ol aria-label="What was asked, and found" className="space-y-3 text-sm">
        <Step at={at} shape="check" title="The service was asked for a call">
          {detail
            ? `Sent ${detail.sent.requests === 1 ? 'once' : `${count(detail.sent.requests)} times`}.`
            : ''}
        </Step>
        {placed && <Step at={placed} shape="check" title="It placed the call" />}
        <Step shape="dash" title="What came back">
          {unknown.detail ??
            (phone === null ? 'Hidden: this token may not see people.' : 'Nothing that could be read.')}
        </Step>
        <Listed unknown={unknown} />
        <Freed unknown={unknown} now={now} />
        <Step {...(Date.parse(held) > now ? { at: held, until: true } : {})} shape="pause" title="The phone">
          {Date.parse(held) > now
            ? 'No campaign calls it before, unless you settle this.'
            : 'Other campaigns may call it again.'}
          {redial && ' The campaign’s rule will call this person once more.'}
        </Step>
      </ol>
    </div>
  );
}

type StepProps = {
  at?: string | undefined;
  until?: boolean;
  shape: 'check' | 'dash' | 'pause' | 'half' | 'query';
  title: string;
  children?: ReactNode;
};

function Step({ at, until, shape, title, children }: StepProps) {
  return (
    <li className="grid grid-cols-[7rem_1rem_minmax(0,1fr)] gap-x-2">
      <span className="text-right text-xs leading-5 whitespace-nowrap text-quiet">
        {at && (
          <>
            {until && 'until '}
            <Time at={at} seconds />
          </>
        )}
      </span>
      <span className={classes('pt-1', shape === 'half' ? 'text-warn' : 'text-quiet')}>
        <Mark shape={shape} />
      </span>
      <span className="min-w-0">
        <span className="block font-medium">{title}</span>
        {children && <span className="block text-quiet [overflow-wrap:anywhere]">{children}</span>}
      </span>
    </li>
  );
}

/** The service's own list of calls, as it was asked for this one. Of a call that is known, its record is asked for instead. */
function Listed({ unknown: { asked, call_id: callId } }: { unknown: Unknown }) {
  const service = useService();
  if (!service.data || (callId !== null && asked === null)) return null;
  if (asked === null) {
    return (
      <Step shape="dash" title="The service’s list of calls">
        {service.data.can.find
          ? 'It has not been asked for this one yet.'
          : 'It lists no calls, so it cannot be asked for this one.'}
      </Step>
    );
  }
  const times = asked.times === 1 ? 'once' : `${count(asked.times)} times`;
  const found = asked.calls.length === 0 ? 'nothing' : counted(asked.calls.length, 'call');
  return (
    <Step at={asked.last ?? undefined} shape="query" title={`Asked: the list of calls, ${times}`}>
      Found {found}
      {asked.calls.length === 0 && `; ${absenceWords(service.data)}`}.{' '}
      {asked.calls.length > 0 && asked.why && `It does not settle this: ${asked.why}. `}
      {asked.next ? (
        <>
          It is asked again at <Time at={asked.next} />.
        </>
      ) : (
        'It is not asked again.'
      )}
      {asked.calls.map((id) => (
        <span key={id} className="flex items-center gap-1">
          <code className="min-w-0 truncate font-mono text-xs">{id}</code> <Copy text={id} />
        </span>
      ))}
    </Step>
  );
}

function Freed({ unknown: { not_called_from: from }, now }: { unknown: Unknown; now: number }) {
  if (from === null) return <Step shape="check" title="The service took this call: it was made" />;
  if (Date.parse(from) <= now) {
    return (
      <Step shape="check" title="The request">
        It is too old to arrive now: no call can come of it any more.
      </Step>
    );
  }
  return <Step at={from} until shape="half" title="The request may still arrive" />;
}
