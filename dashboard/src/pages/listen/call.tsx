import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Campaign } from '../../api/description.ts';
import { StartCampaign } from '../../campaigns/start.tsx';
import { StopCampaign } from '../../campaigns/stop.tsx';
import { useAsk } from '../../data/queries.ts';
import { Badge, Mark, OutcomeMark, stateText } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { ActsMenu } from '../../kit/menu.tsx';
import { Phone } from '../../kit/phone.tsx';
import { SideFoot, SidePanel } from '../../kit/side-panel.tsx';
import { clockText } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { personAddress } from '../../shell/find.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Talk } from '../people/talk.tsx';
import { type Heard, type Judged, judge } from './judging.ts';

/** One call: what was said, and whether it is as it should be. */
type CallProps = {
  call: Heard;
  nth: number;
  of: number;
  left: number;
  campaign: Campaign;
  said: string | undefined;
  className: string;
  onNext(): void;
  onClose(): void;
};

export function Call({ call, nth, of, left, campaign, said, className, onNext, onClose }: CallProps) {
  const attempt = useAsk('GET /api/attempts/{id}', { params: { id: call.attempt } });
  const may = useMay('operate');
  const { name, phone, recipient } = call;
  return (
    <SidePanel label="The call" className={className} onClose={onClose}>
      <div className="min-h-0 flex-1 space-y-4 xl:overflow-y-auto xl:pb-4">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h2 className="text-xl font-semibold tracking-[-0.01em]">
            <PageLink to={personAddress({ phone, id: recipient })} className="hover:underline">
              {name ?? <Phone phone={phone} />}
            </PageLink>
          </h2>
          {name && (
            <span className="text-quiet">
              <Phone phone={phone} />
            </span>
          )}
          {call.outcome && (
            <Badge
              state={call.outcome}
              soft
              {...(call.duration ? { label: `${stateText(call.outcome)}, ${clockText(call.duration)}` } : {})}
            />
          )}
          <span className="ml-auto text-sm text-quiet">
            call {count(nth)} of {count(of)}
          </span>
        </div>
        {attempt.error && <Trouble problem={attempt.error} retry={() => void attempt.refetch()} />}
        {!attempt.data && !attempt.error && <Loading lines={8} />}
        {attempt.data && <Talk attempt={attempt.data} name={name} mark={said} />}
        {call.judgement?.note && (
          <p className="text-sm text-quiet">
            {call.judgement.by} noted: {call.judgement.note}
          </p>
        )}
      </div>
      {may && (
        <SideFoot>
          <Judge call={call} onNext={onNext} />
          {campaign.state === 'paused' && campaign.reason === 'first' && (
            <Then left={left} of={of} campaign={campaign} />
          )}
        </SideFoot>
      )}
    </SidePanel>
  );
}

const choices: readonly [as: Judged | 'later', key: string, words: string, note: string][] = [
  ['fine', 'F', 'Fine', 'counts as judged'],
  ['wrong', 'W', 'Wrong', 'asks for a word on why'],
  ['opt-out', 'O', 'Opt out', 'no more calls from any campaign'],
  ['later', 'N', 'Later', 'the next call'],
];

function Judge({ call, onNext }: { call: Heard; onNext(): void }) {
  const [isAsked, setIsAsked] = useState(false);
  const say = (as: Judged, note?: string) => {
    judge(call, as, note);
    setIsAsked(false);
    onNext();
  };
  const choose = (as: Judged | 'later') =>
    as === 'later' ? onNext() : as === 'wrong' ? setIsAsked(true) : say(as);
  usePageKeys({
    f: () => choose('fine'),
    w: () => choose('wrong'),
    o: () => choose('opt-out'),
    n: () => choose('later'),
  });
  return (
    <div>
      <p className="flex flex-wrap items-baseline gap-x-3 font-semibold">
        Is this call as it should be?
        {call.as && (
          <span className="text-sm font-normal">
            Judged: <Badge state={call.as} />
          </span>
        )}
      </p>
      <div className="mt-2 grid grid-cols-2 gap-3 md:grid-cols-4">
        {choices.map(([as, key, words, note]) => (
          <div key={as}>
            <Button onClick={() => choose(as)} className="min-h-10 w-full justify-between!">
              <span className="flex items-center gap-2">
                {as === 'later' ? (
                  <span className="text-quiet">
                    <Mark shape="play" />
                  </span>
                ) : (
                  <OutcomeMark state={as} />
                )}
                {words}
              </span>
              <kbd className="key-in-button">{key}</kbd>
            </Button>
            <p className="mt-1 text-xs text-quiet max-md:hidden">{note}</p>
          </div>
        ))}
      </div>
      {isAsked && (
        <form
          className="mt-2 flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            say('wrong', String(new FormData(event.currentTarget).get('note')).trim());
          }}
        >
          <input
            // biome-ignore lint/a11y/noAutofocus: the key that opened it asks for it.
            autoFocus
            name="note"
            maxLength={500}
            aria-label="Why it is wrong"
            placeholder="Why, in a word (or nothing)"
            onKeyDown={(event) => event.key === 'Escape' && setIsAsked(false)}
            className="min-h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-card px-3"
          />
          <Button type="submit" kind="main">
            It is wrong
          </Button>
        </form>
      )}
    </div>
  );
}

/** When enough was heard: the campaign continues, changes, or ends. */
function Then({ left, of, campaign }: { left: number; of: number; campaign: Campaign }) {
  const [act, setAct] = useState<'start' | 'cancel' | null>(null);
  const waiting = campaign.balance.waiting + campaign.balance.parked;
  const close = () => setAct(null);
  const navigate = useNavigate();
  const choose = (id: 'order' | 'cancel') =>
    id === 'cancel'
      ? setAct('cancel')
      : void navigate({ to: '/campaigns/$id', params: { id: campaign.id }, search: { tab: 'order' } });
  const others = [
    ['order', 'Change the order'],
    ['cancel', `Cancel for good: skip ${counted(waiting, 'person', 'people')}`],
  ] as const;
  return (
    <div className="mt-3 border-t border-line pt-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 flex-1 text-sm text-quiet">
          {left === 0 && `All ${count(of)} are judged. `}The other{' '}
          {counted(waiting, 'person waits', 'people wait')} until you resume.
        </p>
        <ActsMenu acts={others} onChoose={choose}>
          Change or cancel
        </ActsMenu>
        <Button kind={left === 0 ? 'main' : 'plain'} onClick={() => setAct('start')}>
          {left > 0
            ? `Resume without judging ${count(left)}`
            : `Resume for ${counted(waiting, 'person', 'people')}`}
        </Button>
      </div>
      {act === 'start' && <StartCampaign campaign={campaign} onClose={close} />}
      {act === 'cancel' && <StopCampaign campaign={campaign} act="cancel" onClose={close} />}
    </div>
  );
}
