import { useState } from 'react';
import type { AttemptCourse } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge, Mark, OutcomeMark, stateText } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { Caller, Phone } from '../../kit/phone.tsx';
import { SideFoot, SidePanel } from '../../kit/side-panel.tsx';
import { clockText, Time } from '../../kit/time.tsx';
import { cost, count, learnedText } from '../../kit/words.ts';
import { personAddress } from '../../shell/find.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Learned } from '../people/learned.tsx';
import { Talk } from '../people/talk.tsx';
import { type Heard, type Judged, judge } from './judging.ts';

/** One call: what was said, and whether it is as it should be. */
type CallProps = {
  call: Heard;
  nth: number;
  of: number;
  said: string | undefined;
  onNext(): void;
};

export function Call({ call, nth, of, said, onNext }: CallProps) {
  const attempt = useAsk('GET /api/attempts/{id}', { params: { id: call.attempt } });
  const may = useMay('operate');
  const { name, phone, recipient } = call;
  return (
    <SidePanel label="The call" tall>
      <div className="min-h-0 flex-1 space-y-4 xl:min-h-72 xl:overflow-y-auto xl:pb-4">
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
        {attempt.data && (
          <div className="grid items-start gap-x-8 gap-y-4 xl:grid-cols-[minmax(0,1fr)_16rem]">
            <Talk attempt={attempt.data} name={name} mark={said} />
            <div>
              <Learned data={attempt.data.structured_data} />
              <Made attempt={attempt.data} />
            </div>
          </div>
        )}
        {call.judgement?.note && (
          <p className="text-sm text-quiet">
            {call.judgement.by} noted: {call.judgement.note}
          </p>
        )}
      </div>
      {may && (
        <SideFoot>
          <Judge call={call} onNext={onNext} />
        </SideFoot>
      )}
    </SidePanel>
  );
}

/** How the call was made, and what the list says of this person: what the agent should have known. */
function Made({ attempt }: { attempt: AttemptCourse }) {
  const { agent, from, dialed_at: at, cost: spent, currency, input } = attempt;
  const { phone: _, name: __, ...given } = input ?? {};
  return (
    <Section id="made" title="How it was made" bare>
      <Facts names="narrow">
        <Fact name="called">{at && <Time at={at} />}</Fact>
        <Fact name="by">{agent ?? '–'}</Fact>
        <Fact name="from">
          <Caller phone={from} />
        </Fact>
        <Fact name="cost">{spent === null ? '–' : cost(spent, currency)}</Fact>
        {Object.entries(given).map(([name, value]) => (
          <Fact key={name} name={name}>
            {learnedText(value)}
          </Fact>
        ))}
      </Facts>
    </Section>
  );
}

const choices: readonly [as: Judged | 'later', key: string, words: string, note: string][] = [
  ['fine', 'F', 'Fine', 'counts as judged'],
  ['wrong', 'W', 'Wrong', 'asks for a word on why'],
  ['later', 'N', 'Later', 'the next call'],
  ['opt-out', 'O', 'Opt out', 'no more calls from any campaign'],
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
          // What no other answer takes back stands apart.
          <div key={as} className={as === 'opt-out' ? 'md:border-l md:border-line-strong md:pl-3' : ''}>
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
              <kbd className="key-in-button max-md:hidden">{key}</kbd>
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
