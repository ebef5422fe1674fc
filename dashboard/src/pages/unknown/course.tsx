import type { ReactNode } from 'react';
import type { Unknown, UnknownDetail } from '../../api/ask.ts';
import { Mark } from '../../kit/basics.tsx';
import { Section } from '../../kit/page.tsx';
import { Phone, Time, useNow } from '../../kit/values.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { useFaultWords, useService } from '../../shell/reads.ts';
import { absenceWords } from '../../shell/service.tsx';

/** What was asked and what was found, a step each. */
export function Course({ unknown, detail }: { unknown: Unknown; detail: UnknownDetail | undefined }) {
  const { dialing_at: at, placed_at: placed, redial, call_id: callId, asked } = unknown;
  const { not_called_from: from, phone_held_until: held, phone } = unknown;
  const service = useService().data;
  const now = useNow();
  const mayArrive = from !== null && Date.parse(from) > now;
  const isHeld = Date.parse(held) > now;
  const back = useFaultWords()(unknown.detail ?? '');
  const lost = detail?.course.find(({ step }) => step === 'unknown')?.at;
  return (
    <Section title="What was asked, and found">
      <ol aria-label="What was asked, and found" className="text-sm">
        <Step at={at} shape="check" title="Asked for a call">
          {detail?.from && (
            <>
              from <Phone phone={detail.from} />
            </>
          )}
          {detail?.agent && ` by ${detail.agent}`}, {counted(detail?.sent.requests ?? 1, 'request')}
        </Step>
        {placed && <Step at={placed} shape="check" title="The service placed it" />}
        <Step {...(lost && { at: lost })} shape="dash" title={callId ? 'No end was told' : 'No answer came'}>
          {phone === null ? 'hidden: this token may not see people' : back}
          {callId && `the call ${callId}${unknown.status ? `, last status ${unknown.status}` : ''}`}
        </Step>
        {asked && service && (
          <Step
            {...(asked.last && { at: asked.last })}
            shape="query"
            title={`Asked for its list of calls, ${asked.times === 1 ? 'once' : `${count(asked.times)} times`}`}
          >
            found {asked.calls.length === 0 ? `nothing; ${absenceWords(service)}` : asked.calls.join(', ')}
            {asked.why && `; it does not settle this: ${asked.why}`}
            {asked.next && (
              <>
                ; asked again at <Time at={asked.next} />
              </>
            )}
          </Step>
        )}
        {from !== null && (
          <Step
            // It may be so since before anybody knew: the times would run backwards.
            {...(mayArrive ? { until: from } : { at: lost && lost > from ? lost : from })}
            shape={mayArrive ? 'half' : 'dash'}
            title={mayArrive ? 'The request may still arrive' : 'The request is too old to arrive now'}
          />
        )}
        <Step
          {...(isHeld ? { until: held } : { at: held })}
          shape="pause"
          title={isHeld ? 'No campaign calls this phone' : 'Other campaigns may call this phone'}
        >
          {isHeld && 'then other campaigns may; '}
          {redial ? 'this one will call once more, by its rule' : 'this one waits for what you say'}
        </Step>
      </ol>
    </Section>
  );
}

export const heads: Record<Unknown['reason'], string> = {
  lost: 'No answer came to the request',
  accepted: 'It was taken, without its id',
  crashed: 'Carillon stopped while it dialled',
  stale: 'It was placed, and no end was told',
  mismatch: 'Its record is of another call',
  'lost-history': 'The history that knew it is lost',
};

type StepProps = {
  at?: string;
  until?: string;
  shape: 'check' | 'dash' | 'pause' | 'half' | 'query';
  title: string;
  children?: ReactNode;
};

const Step = ({ at, until, shape, title, children }: StepProps) => (
  <li className="relative grid grid-cols-[7rem_1rem_minmax(0,1fr)] gap-x-2 pb-3 before:absolute before:top-5 before:bottom-0 before:left-[calc(7.5rem+2px)] before:w-px before:bg-line last:pb-0 last:before:hidden">
    <span className="text-right text-quiet">
      {until && 'until '}
      {(at ?? until) && <Time at={at ?? until!} seconds={!until} />}
    </span>
    <span className={classes('pt-1', shape === 'half' ? 'text-warn' : 'text-quiet')}>
      <Mark shape={shape} />
    </span>
    <div className="min-w-0 [overflow-wrap:anywhere]">
      <p className="font-medium">{title}</p>
      <p className="text-quiet first-letter:uppercase empty:hidden">{children}</p>
    </div>
  </li>
);
