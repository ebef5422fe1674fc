import { type ReactNode, useRef } from 'react';
import type { AttemptCourse, CourseStep, FoundPerson } from '../../api/ask.ts';
import { useLive } from '../../data/queries.ts';
import { Badge, Copy, stateText } from '../../kit/basics.tsx';
import { Read, Section } from '../../kit/page.tsx';
import { NameLink, navigate } from '../../kit/router.tsx';
import { thereText } from '../../kit/their-time.tsx';
import { Caller, Facts, Fields, Phone, Time } from '../../kit/values.tsx';
import {
  classes,
  clockText,
  cost,
  count,
  durationText,
  learnedText,
  readJson,
  timeText,
} from '../../kit/words.ts';
import { Step } from '../../shell/people.tsx';
import { useFaultWords } from '../../shell/reads.ts';
import { Talk } from './talk.tsx';

/** One attempt: how long it waited, rang and talked, what was said, and beside it the facts of its call. */
type DetailProps = { id: string; row: FoundPerson; zones: readonly string[]; given: ReactNode };

export function AttemptDetail({ id, row, zones, given }: DetailProps) {
  const answer = useLive('GET /api/attempts/{id}', { id }, { everyMs: 2_000, on: ['attempt.'] });
  const faultWords = useFaultWords();
  const wasSilent = useRef<boolean>(undefined);
  const attempt = answer.data;
  if (!attempt) return <Read of={answer} lines={8} />;
  const { transcript, recording_url: recording, exchanges, structured_data: learned, metadata } = attempt;
  const open = (to: string) =>
    void navigate({ search: (before) => ({ ...before, attempt: to }), replace: true, resetScroll: false });
  const isSaid = Boolean(transcript || recording);
  wasSilent.current ??= !isSaid;
  const nth = row.attempts.findIndex(({ id }) => id === attempt.id);
  const end = stateText(attempt.outcome ?? attempt.state);
  const at = timeText(attempt.ended_at ?? attempt.dialed_at ?? attempt.planned_at);
  return (
    <div className="gap-x-9 xl:grid xl:grid-cols-[minmax(0,1fr)_19rem] xl:grid-rows-[auto_1fr]">
      <div className="min-w-0 xl:col-start-2">
        <Named title="What was learned" of={learned} />
      </div>
      <div className="min-w-0 xl:col-start-1 xl:row-span-2 xl:row-start-1">
        <Section
          title={`Attempt ${count(attempt.number)} of ${count(row.attempts.length)}`}
          note={
            <span className="flex flex-wrap gap-x-3">
              <Badge state={attempt.outcome ?? attempt.state} label={`${end}, ${at}`} />
              <NameLink of="campaigns" name={row.campaign} />
            </span>
          }
          acts={
            row.attempts.length > 1 && (
              <span className="flex gap-1">
                <Step label="The attempt before" to={row.attempts[nth - 1]?.id} onGo={open} isBack />
                <Step label="The attempt after" to={row.attempts[nth + 1]?.id} onGo={open} />
              </span>
            )
          }
        >
          {attempt.error && <p className="mb-2 text-bad">{faultWords(attempt.error)}</p>}
          <Spans attempt={attempt} />
        </Section>
        {isSaid && (
          <section aria-label="What was said" className="mb-6">
            <Talk attempt={attempt} />
          </section>
        )}
        {/* Open from the first where nothing was said; what is said later does not close it under someone who reads. */}
        <details className="mb-6" open={wasSilent.current}>
          <summary className="mb-1 font-semibold">Step by step, with what was sent</summary>
          <ol aria-label="Step by step" className="divide-y divide-line">
            {attempt.course.map(({ step, at: when, reason }, place) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: a step never moves.
                key={place}
                className="grid gap-x-4 py-1.5 text-sm sm:grid-cols-[6rem_10rem_minmax(0,1fr)]"
              >
                <span className="text-quiet">{when !== null && <Time at={when} seconds />}</span>
                <span className="font-medium first-letter:uppercase">
                  {labels[step] ?? step.replace('-', ' ')}
                </span>
                <span className="[overflow-wrap:anywhere]">{reason?.replace(time, timeText)}</span>
              </li>
            ))}
          </ol>
          {exchanges && exchanges.length > 0 && <Exchanges of={exchanges} />}
        </details>
      </div>
      <div className="min-w-0">
        {given}
        <CallFacts attempt={attempt} zones={zones} />
        <Named title="Metadata of the call" of={metadata} />
      </div>
    </div>
  );
}

/** The attempt as one bar, each part as long as it lasted: in the queue, until somebody spoke, and the talk. */
function Spans({ attempt }: { attempt: AttemptCourse }) {
  const { planned_at: planned, dialed_at: dialed, ended_at: ended, duration } = attempt;
  if (!dialed || !ended) return null;
  const dialedAt = Date.parse(dialed);
  const talked = (duration ?? 0) * 1_000;
  const spans = [
    { words: 'waited', ms: dialedAt - Date.parse(planned), fill: 'bg-ink-3' },
    {
      words: talked > 0 ? 'before the talk' : 'nobody spoke',
      ms: Date.parse(ended) - dialedAt - talked,
      fill: 'bg-live-fill/45',
    },
    { words: 'talked', ms: talked, fill: 'bg-live-fill' },
  ].filter(({ ms }) => ms >= 1_000);
  // One part alone tells nothing: the recording has the length of the talk.
  if (spans.length < 2) return null;
  return (
    <ul aria-label="How long it lasted" className="flex gap-0.5">
      {spans.map(({ words, ms, fill }) => (
        <li
          key={words}
          className="min-w-max pr-1.5 text-xs whitespace-nowrap text-quiet"
          style={{ flexGrow: ms, flexBasis: 0 }}
        >
          <span aria-hidden="true" className={classes('mb-1 block h-2 rounded-sm', fill)} />
          {words} {ms < 60_000 ? durationText(ms) : clockText(ms / 1_000)}
        </li>
      ))}
    </ul>
  );
}

function CallFacts({ attempt, zones }: { attempt: AttemptCourse; zones: readonly string[] }) {
  const { id, call_id: callId, key, agent, from, judgement, dialed_at: at, recording_url: url } = attempt;
  const isKept = url !== null && /^https?:\/\//i.test(url) && URL.canParse(url);
  const note = judgement?.note ?? '';
  return (
    <Section title="This call">
      <Facts
        of={[
          ['Called', at && [<Time key="at" at={at} seconds />, thereText(zones, at)]],
          ['From', <Caller key="from" phone={from} />],
          ['Agent', agent ?? '–'],
          ['Key', <NameLink key="key" of="keys" name={key} />],
          ['Cost', cost(attempt.cost, attempt.currency ?? '(as the service tells it)')],
          ['Judged', judgement && `${judgement.as} by ${judgement.by}${note && `: ${note}`}`],
          [
            'Recording',
            isKept ? (
              // By our own server: nothing from elsewhere is loaded into this page.
              <a key="file" href={`/api/attempts/${id}/recording`} download title={url} className="link">
                Download
              </a>
            ) : (
              url
            ),
          ],
          [
            'Call',
            callId && (
              <span key="call" className="flex min-w-0 items-center gap-1">
                <code className="min-w-0 font-mono text-xs wrap-anywhere">{callId}</code>
                <Copy text={callId} />
              </span>
            ),
          ],
        ]}
      />
    </Section>
  );
}

function Named({ title, of }: { title: string; of: unknown }) {
  if (of === null || learnedText(of) === '') return null;
  return (
    <Section title={title}>
      <Fields of={typeof of === 'object' && !Array.isArray(of) ? of : { '': of }} />
    </Section>
  );
}

/** What the list says of a person; the name and the phone stand above it. */
export const givenOf = ({ input, name, phone }: Pick<FoundPerson, 'input' | 'name' | 'phone'>) =>
  Object.entries(input ?? {}).filter(([, value]) => value !== name && value !== phone);

/** The list's data on the person, the variables of the next call where these say anything else, and several numbers in their order. */
export function Given({ row, variables }: { row: FoundPerson; variables: Record<string, unknown> | null }) {
  const { input, phones, phone: current } = row;
  const others = Object.entries(variables ?? {}).filter(
    ([name, value]) => JSON.stringify(input?.[name]) !== JSON.stringify(value),
  );
  return (
    <>
      <Named title="As it was given" of={Object.fromEntries([...givenOf(row), ...others])} />
      {phones && (
        <Section title="Numbers">
          <ol aria-label="Numbers" className="space-y-1 text-sm">
            {phones.map(({ phone, passed }) => (
              <li key={phone || passed}>
                {phone && <Phone phone={phone} />}{' '}
                <span className="text-quiet">
                  {passed !== null && `not called: ${passed}`}
                  {phone === current && row.attempts.length > 0 && 'called last'}
                </span>
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  );
}

/** Steps whose own word says too little. */
const labels: Partial<Record<CourseStep['step'], string>> = {
  waited: 'plan taken back',
  token: 'its turn',
  answered: 'the service answered',
  polls: 'asked how it goes',
};

/** The times within a reason are told in the viewer's zone. */
const time = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

/** Each request that was sent to the service for an attempt, and what was answered, for as long as it is kept. */
type Exchange = NonNullable<AttemptCourse['exchanges']>[number];

const words: Readonly<Record<string, string>> = {
  create: 'make the call',
  read: 'ask for the call',
  update: 'change or end the call',
  list: 'list calls',
};

export const Exchanges = ({ of }: { of: readonly Exchange[] }) => (
  <ul
    aria-label="What was sent, what was answered"
    className="divide-y divide-line border-t border-line text-sm"
  >
    {of.map((each, nth) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: an exchange never moves.
      <li key={nth}>
        <details className="py-1.5">
          <summary>
            <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap gap-x-3">
              <span className="text-quiet">
                <Time at={each.at} seconds />
              </span>
              <span className="font-medium">{words[each.operation] ?? each.operation}</span>
              <span className={classes((each.status ?? 0) >= 200 && each.status! < 300 ? '' : 'text-bad')}>
                {each.status ?? 'no answer'}
              </span>
              <span className="text-quiet">{count(Math.round(each.ms))} ms</span>
            </span>
          </summary>
          <p className="mt-2 flex flex-wrap items-start justify-between gap-2">
            <span className="min-w-0 font-mono [overflow-wrap:anywhere]">
              {each.method} {each.url}
            </span>
            <Copy text={each.curl} label="Copy as curl" />
          </p>
          {[each.body, each.answer].map(
            (text, at) =>
              text !== null && (
                <section
                  key={at === 0 ? 'Sent' : 'Answered'}
                  // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
                  tabIndex={0}
                  aria-label={at === 0 ? 'Sent' : 'Answered'}
                  className="mt-2 max-h-96 overflow-y-auto rounded-md bg-sunken px-3 py-2"
                >
                  <pre className="font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">
                    {inLines(text)}
                  </pre>
                </section>
              ),
          )}
          <p className="mt-2 empty:hidden">{each.why}</p>
        </details>
      </li>
    ))}
  </ul>
);

/** In lines, unless it is not JSON or was cut. */
function inLines(text: string): string {
  const value = readJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
