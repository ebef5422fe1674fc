import { type ReactNode, useState } from 'react';
import { ask, type FirstCall } from '../../api/ask.ts';
import { createSoon, useAsk } from '../../data/queries.ts';
import { Badge, Button, Mark, OutcomeMark, stateText } from '../../kit/basics.tsx';
import { Form } from '../../kit/form.tsx';
import { Read } from '../../kit/page.tsx';
import { useFilters } from '../../kit/router.tsx';
import { Dock, SidePanel, Split } from '../../kit/side-panel.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { Facts, Phone, phoneText, serviceChose } from '../../kit/values.tsx';
import { clockText, cost, count, learnedText } from '../../kit/words.ts';
import { Step } from '../../shell/people.tsx';
import { LearnedWords, PersonHead } from '../../shell/person-columns.tsx';
import { useMay } from '../../shell/reads.ts';
import { givenOf } from '../people/attempt.tsx';
import { Talk } from '../people/talk.tsx';

/** Judgements of calls, which the ledger is told when no undo can come. */
export type Judged = NonNullable<FirstCall['judgement']>['as'];

const judging = createSoon<Judged>();

/** A call with its judgement, also while that can be undone and the ledger does not know it. */
export type Heard = FirstCall & { as: Judged | null; campaign?: string };

function judge({ attempt, name, phone }: FirstCall, as: Judged, note?: string): void {
  const who = name ?? phone ?? 'This person';
  const text = as === 'opt-out' ? `${who} is not called any more.` : `${who}: ${as}.`;
  judging.tell(attempt, as, text, async () => {
    const body = { as, ...(note ? { note } : {}) };
    await ask('PUT /api/attempts/{id}/judgement', { id: attempt, body });
    return null;
  });
}

type CallProps = {
  call: Heard;
  nth: number;
  of: number;
  said: string | undefined;
  judged: number;
  /** What comes when all are judged. */
  then: string;
  /** Those above and below it in the list, and the way to one. */
  before: Heard | undefined;
  after: Heard | undefined;
  onOpen(call: Heard): void;
  onNext(): void;
};

function Call({ call, nth, of, said, then, onNext, ...list }: CallProps) {
  const attempt = useAsk('GET /api/attempts/{id}', { id: call.attempt });
  const may = useMay('operate');
  const [isAsked, setIsAsked] = useState(false);
  const { outcome, duration } = call;
  const judged = call.as ?? attempt.data?.judgement?.as;
  const say = (as: Judged, note?: string) => {
    judge(call, as, note);
    setIsAsked(false);
    onNext();
  };
  const answer = (key: string, as: Judged | 'later', words: string, onChoose: () => void, note?: string) => ({
    key,
    note,
    onChoose,
    words: (
      <>
        {as === 'later' ? <Mark shape="dash" /> : <OutcomeMark state={as} />}
        {words}
      </>
    ),
  });
  // It does not wait for the words: whoever knows the answer goes on at once.
  const question = (
    <Dock
      question={
        <>
          Is this call as it should be?
          {judged && (
            <span className="text-sm font-normal">
              Judged: <Badge state={judged} />
            </span>
          )}
        </>
      }
      answers={[
        answer('f', 'fine', 'Fine', () => say('fine'), 'counts as judged'),
        answer('w', 'wrong', 'Wrong', () => setIsAsked(true), 'asks for a word on why'),
        answer('o', 'opt-out', 'Opt out', () => say('opt-out'), 'no more calls; 5 s to undo'),
        answer('n', 'later', 'Later', onNext, 'the next call'),
      ]}
    >
      {isAsked && (
        <Form className="mt-2 flex gap-2" onSend={(typed) => say('wrong', String(typed.get('note')).trim())}>
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
        </Form>
      )}
      <p className="mt-2.5 text-xs text-quiet empty:hidden max-md:hidden">{then}</p>
    </Dock>
  );
  return (
    <SidePanel label="The call" foot={may && question}>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <PersonHead of={call} />
        {outcome && (
          <Badge
            state={outcome}
            label={duration ? `${stateText(outcome)}, ${clockText(duration)}` : stateText(outcome)}
          />
        )}
        {/* On a narrow page the list is below it. */}
        <span className="ml-auto flex items-center text-sm text-quiet max-xl:order-first max-xl:basis-full">
          <span className="mr-2">
            call {count(nth)} of {count(of)}
          </span>
          <Step label="The call before" to={list.before} onGo={list.onOpen} isBack />
          <Step label="The next call" to={list.after} onGo={list.onOpen} />
          <span className="ml-auto xl:hidden">{count(list.judged)} judged</span>
        </span>
      </div>
      <Read of={attempt} lines={8}>
        {(data) => {
          const by = [
            `from ${data.from ? phoneText(data.from) : serviceChose}`,
            data.agent,
            `key ${data.key}`,
            data.cost !== null && cost(data.cost, data.currency),
          ];
          return (
            <>
              <Talk attempt={data} mark={said} />
              <div className="border-t border-line pt-3">
                <Facts
                  of={[
                    [
                      'Learned',
                      data.structured_data ? <LearnedWords key="learned" of={data.structured_data} /> : '',
                    ],
                    ['Given', learnedText(Object.fromEntries(givenOf(data)))],
                    ['Call', by.filter(Boolean).join(', ')],
                  ]}
                />
              </div>
            </>
          );
        }}
      </Read>
    </SidePanel>
  );
}

export const beat = { everyMs: 15_000, on: ['attempt.'] };

/** The calls with what was said of them here a moment ago. */
export function useHeard(calls: readonly Omit<Heard, 'as'>[] = []): Heard[] {
  const told = judging.use();
  return calls.map((each) => ({ ...each, as: told.get(each.attempt) ?? each.judgement?.as ?? null }));
}

/** The address has which calls are listed, and which one is heard. */
export const useListening = () => useFilters('/listen', { resetScroll: false });

/** Calls in a list below `children`, and the one that is heard beside it. */
type ListeningProps = {
  label: string;
  rows: readonly Heard[];
  /** All of them, where `rows` are those that were looked for. */
  of?: readonly Heard[];
  then?: string;
  foot?: ReactNode;
  children: ReactNode;
};

export function Listening({ label, rows, of = rows, then = '', foot, children }: ListeningProps) {
  const { search, set } = useListening();
  const { call: wanted, said } = search;
  const shown =
    rows.find(({ attempt }) => attempt === wanted) ?? rows.find(({ as }) => as === null) ?? rows[0];
  const open = ({ attempt }: Heard) => set({ call: attempt });
  /** The next call that nobody has judged yet; after the last one it begins again at the top. */
  const at = rows.findIndex(({ attempt }) => attempt === shown?.attempt);
  const next = () => {
    const after = [...rows.slice(at + 1), ...rows.slice(0, at)].find(({ as }) => as === null);
    open(after ?? rows[at + 1] ?? shown!);
  };
  return (
    <Split
      list={
        <>
          <div className="px-4 lg:px-6">{children}</div>
          {rows.length > 0 && (
            <DataTable
              label={label}
              rows={rows}
              columns={columnsOf(rows[0]!.campaign ? whose : what)}
              keyOf={({ attempt }) => attempt}
              onOpen={open}
              onMove={open}
              current={shown?.attempt}
            />
          )}
          {foot}
        </>
      }
    >
      {shown && (
        <Call
          key={shown.attempt}
          call={shown}
          nth={of.findIndex(({ attempt }) => attempt === shown.attempt) + 1}
          of={of.length}
          judged={of.filter(({ as }) => as !== null).length}
          before={rows[at - 1]}
          after={rows[at + 1]}
          onOpen={open}
          said={said}
          then={then}
          onNext={next}
        />
      )}
    </Split>
  );
}

const quiet = (words: ReactNode) => <span className="text-quiet">{words}</span>;
const what: Column<Heard> = left(
  'outcome',
  'Outcome',
  { px: 104 },
  ({ outcome }) => outcome && <Badge state={outcome} tone="quiet" />,
);
const whose: Column<Heard> = left('campaign', 'Campaign', { px: 104 }, ({ campaign }) => quiet(campaign));

const columnsOf = (middle: Column<Heard>): Column<Heard>[] => [
  left('person', 'Person', { px: 116 }, ({ name, phone }) => (
    <span className="font-medium" title={name ?? undefined}>
      {name ?? <Phone phone={phone} />}
    </span>
  )),
  middle,
  left('length', 'Length', { number: true, px: 64 }, ({ duration }) =>
    quiet(duration === null ? '–' : clockText(duration)),
  ),
  left('judged', 'Judged', { px: 104 }, ({ as }) => as && <Badge state={as} />),
];
