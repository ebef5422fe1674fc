import { useState } from 'react';
import { useAsk } from '../../data/queries.ts';
import { Badge, Mark, OutcomeMark, stateText } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Read } from '../../kit/empty.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { Phone } from '../../kit/phone.tsx';
import { SidePanel } from '../../kit/side-panel.tsx';
import { clockText, Time } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { personAddress } from '../../shell/find.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { CallFacts } from '../people/attempt.tsx';
import { Learned } from '../people/learned.tsx';
import { FromList } from '../people/row.tsx';
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
    <SidePanel label="The call">
      <div className="flex min-h-0 flex-1 flex-col gap-4 xl:overflow-y-auto xl:pb-4">
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
            ended <Time at={call.ended_at} />, call {count(nth)} of {count(of)}
          </span>
        </div>
        <Read of={attempt} lines={8}>
          {(data) => (
            <>
              <Talk attempt={data} mark={said} />
              <div className="grid items-start gap-x-10 border-t border-line pt-4 sm:grid-cols-2 2xl:grid-cols-3">
                <Learned data={data.structured_data} />
                <FromList input={data.input} name={name} phone={data.phone} />
                <CallFacts attempt={data} />
              </div>
            </>
          )}
        </Read>
      </div>
      {/* It does not wait for the words: whoever knows the answer goes on at once. */}
      {may && <Judge call={call} onNext={onNext} />}
    </SidePanel>
  );
}

const choices: readonly [as: Judged | 'later', key: string, words: string, note: string][] = [
  ['fine', 'F', 'Fine', 'as it should be'],
  ['wrong', 'W', 'Wrong', 'asks for a word on why'],
  ['later', 'N', 'Later', 'shows the next call'],
  ['opt-out', 'O', 'Opt out', 'never called again'],
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
    <div
      id="foot"
      className="-mx-4 border-y border-line bg-sunken px-4 py-3 max-xl:sticky max-lg:bottom-14 lg:-mx-6 lg:bottom-0 lg:px-6"
    >
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
