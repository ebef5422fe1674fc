import type { ReactNode } from 'react';
import type { AttemptCourse } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Copy } from '../../kit/copy.tsx';
import { Fields } from '../../kit/data.tsx';
import { Read } from '../../kit/empty.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { Caller } from '../../kit/phone.tsx';
import { clockText, durationText, Time } from '../../kit/time.tsx';
import { classes, cost, count, counted } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Steps } from './course.tsx';
import { Exchanges } from './exchanges.tsx';
import { Learned } from './learned.tsx';
import { Talk } from './talk.tsx';
import { There } from './there.tsx';

/** One attempt: how long it waited, rang and talked, what was said, and beside it the facts of its call. */
/** `of` is how many attempts there are. */
type DetailProps = { id: string; of: number; zones: readonly string[]; given: ReactNode };

export function AttemptDetail({ id, ...rest }: DetailProps) {
  const attempt = useLive('GET /api/attempts/{id}', { params: { id } }, { everyMs: 2_000, on: ['attempt.'] });
  return (
    <Read of={attempt} lines={8}>
      {(data) => <Shown attempt={data} {...rest} />}
    </Read>
  );
}

type ShownProps = Omit<DetailProps, 'id'> & { attempt: AttemptCourse };

function Shown({ attempt: data, of, zones, given }: ShownProps) {
  const isSaid = Boolean(data.transcript || data.recording_url);
  return (
    <div className="gap-x-9 xl:grid xl:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="min-w-0">
        <Section
          id="attempt"
          title={
            data.dialed_at ? (
              <>
                Called at <Time at={data.dialed_at} seconds />
              </>
            ) : (
              `Attempt ${count(data.number)} of ${count(of)}`
            )
          }
          note={
            <span className="flex flex-wrap items-center gap-x-2">
              <Badge state={data.outcome ?? data.state} />
              {[of > 1 && data.dialed_at && `attempt ${count(data.number)} of ${count(of)}`]
                .filter(Boolean)
                .join(', ')}
              {data.dialed_at && <There at={data.dialed_at} zones={zones} />}
            </span>
          }
          acts={<Recording id={data.id} url={data.recording_url} />}
          bare
        >
          {data.error && <p className="mb-2 text-bad">{data.error}</p>}
          <Spans attempt={data} />
        </Section>
        <Learned data={data.structured_data} />
        {isSaid && (
          <section aria-label="What was said" className="mb-6">
            <Talk attempt={data} />
          </section>
        )}
        <details className="mb-6" open={!isSaid}>
          <summary className="font-semibold">Step by step</summary>
          <div className="pt-1">
            <Steps of={data.course} />
          </div>
        </details>
        <Exchanges attempt={data} />
      </div>
      <div className="min-w-0">
        <CallFacts attempt={data} />
        {given}
        {data.metadata && Object.keys(data.metadata).length > 0 && (
          <Section id="metadata" title="Metadata of the call" bare>
            <Fields of={data.metadata} />
          </Section>
        )}
      </div>
    </div>
  );
}

/** The attempt as one bar, each part as long as it lasted: in the queue, until somebody spoke, and the talk. */
function Spans({ attempt }: { attempt: AttemptCourse }) {
  const { planned_at: planned, dialed_at: dialed, ended_at: ended, duration, state } = attempt;
  if (!dialed) return null;
  const dialedAt = Date.parse(dialed);
  const talked = (duration ?? 0) * 1_000;
  const lasted = ended ? Math.max(0, Date.parse(ended) - dialedAt) : 0;
  const spans = [
    { words: 'waited', ms: Math.max(0, dialedAt - Date.parse(planned)), fill: 'bg-ink-3' },
    {
      words: talked > 0 ? 'before the talk' : 'nobody spoke',
      ms: Math.max(0, lasted - talked),
      fill: 'bg-live-fill/45',
    },
    { words: 'talked', ms: talked, fill: 'bg-live-fill' },
  ].filter(({ ms }) => ms >= 1_000);
  // One part alone tells nothing: the recording has the length of the talk.
  if (state !== 'done' || spans.length < 2) return null;
  return (
    <ul aria-label="How long it lasted" className="flex gap-0.5">
      {spans.map(({ words, ms, fill }) => (
        <li
          key={words}
          className="min-w-20 text-xs whitespace-nowrap text-quiet"
          style={{ flexGrow: ms, flexBasis: 0 }}
        >
          <span aria-hidden="true" className={classes('mb-1 block h-2 rounded-sm', fill)} />
          {words} {ms < 60_000 ? durationText(ms) : clockText(ms / 1_000)}
        </li>
      ))}
    </ul>
  );
}

export function CallFacts({ attempt }: { attempt: AttemptCourse }) {
  const { call_id: callId, key, agent, from, requests, polls, judgement } = attempt;
  return (
    <Section id="call" title="This call" bare>
      <Facts names="narrow">
        <Fact name="From">
          <Caller phone={from} />
        </Fact>
        <Fact name="Agent">{agent ?? '–'}</Fact>
        <Fact name="Key">
          <PageLink to={`/keys/${encodeURIComponent(key)}`}>{key}</PageLink>
        </Fact>
        <Fact name="Cost">
          {attempt.cost === null ? '–' : cost(attempt.cost, attempt.currency ?? '(as the service tells it)')}
        </Fact>
        {attempt.status && <Fact name="Status">{attempt.status}</Fact>}
        {judgement && (
          <Fact name="Judged">
            {judgement.as} by {judgement.by}
            {judgement.note && `: ${judgement.note}`}
          </Fact>
        )}
      </Facts>
      <details className="mt-2 text-sm">
        <summary className="w-max text-quiet">Ids and requests</summary>
        <div className="mt-1.5">
          <Facts names="narrow">
            {callId && <Id name="Call" id={callId} />}
            {attempt.provider_call_sid && <Id name="At the carrier" id={attempt.provider_call_sid} />}
            <Id name="Attempt" id={attempt.id} />
            <Fact name="Requests">
              {count(requests)} sent, {counted(polls, 'poll')}
            </Fact>
          </Facts>
        </div>
      </details>
    </Section>
  );
}

function Id({ name, id }: { name: string; id: string }) {
  return (
    <Fact name={name}>
      <span className="flex min-w-0 items-center gap-1">
        <code className="min-w-0 truncate font-mono text-xs" title={id}>
          {id}
        </code>
        <Copy text={id} />
      </span>
    </Fact>
  );
}

/** By our own server: nothing from elsewhere is loaded into this page. */
function Recording({ id, url }: { id: string; url: string | null }) {
  if (url === null) return null;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    return <span className="text-sm text-quiet">recording: {url}</span>;
  return (
    <a
      href={`/api/attempts/${id}/recording`}
      download
      title={url}
      className="text-sm text-quiet hover:underline"
    >
      Download the recording
    </a>
  );
}
