import type { ReactNode } from 'react';
import type { AttemptCourse } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Copy } from '../../kit/copy.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { Phone } from '../../kit/phone.tsx';
import { Stat, Stats } from '../../kit/stat.tsx';
import { durationText, Time } from '../../kit/time.tsx';
import { Tree } from '../../kit/tree.tsx';
import { cost, count, counted } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Exchanges } from './exchanges.tsx';
import { Talk } from './talk.tsx';
import { There } from './there.tsx';
import { Waterfall } from './waterfall.tsx';

/** One attempt: its course as a waterfall, and what came of its call. */
export function AttemptDetail({ id, zones }: { id: string; zones: readonly string[] }) {
  const attempt = useLive('GET /api/attempts/{id}', { params: { id } }, { everyMs: 2_000, on: ['attempt.'] });
  if (attempt.error && !attempt.data)
    return <Trouble problem={attempt.error} retry={() => void attempt.refetch()} />;
  if (!attempt.data) return <Loading lines={8} />;
  const { data } = attempt;
  return (
    <>
      <Section
        id="course"
        title={
          <span className="flex flex-wrap items-center gap-2">
            Attempt {count(data.number)} <Badge state={data.state} />
            {data.outcome && <Badge state={data.outcome} />}
          </span>
        }
      >
        <Facts attempt={data} zones={zones} />
        <Waterfall attempt={data} zones={zones} />
      </Section>
      <Said attempt={data} />
      <Exchanges attempt={data} />
    </>
  );
}

function Facts({ attempt, zones }: { attempt: AttemptCourse; zones: readonly string[] }) {
  const { call_id: callId, key, agent, from, duration, dialed_at: dialed, requests } = attempt;
  return (
    <>
      <Stats>
        <Stat name="Dialled" note={dialed && <There at={dialed} zones={zones} />}>
          {dialed ? <Time at={dialed} /> : '–'}
        </Stat>
        <Stat name="Call" note={attempt.status ?? undefined}>
          {duration === null ? '–' : durationText(duration * 1_000)}
        </Stat>
        <Stat name="Cost">{attempt.cost === null ? '–' : cost(attempt.cost)}</Stat>
        <Stat name="Agent">{agent ?? '–'}</Stat>
        <Stat name="From">{from === null ? 'the service chose' : <Phone phone={from} />}</Stat>
        <Stat name="Key" note={`${count(requests)} sent, ${counted(attempt.polls, 'poll')}`}>
          <PageLink to={`/keys/${encodeURIComponent(key)}`}>{key}</PageLink>
        </Stat>
      </Stats>
      {attempt.error && <p className="mt-3 text-bad">{attempt.error}</p>}
      <Ids>
        {callId && <Id name="call" id={callId} />}
        {attempt.provider_call_sid && <Id name="at the carrier" id={attempt.provider_call_sid} />}
        <Id name="attempt" id={attempt.id} />
      </Ids>
    </>
  );
}

function Ids({ children }: { children: ReactNode }) {
  return <ul className="my-3 flex flex-wrap gap-x-6 border-y border-line py-1 text-sm">{children}</ul>;
}

function Id({ name, id }: { name: string; id: string }) {
  return (
    <li className="flex min-w-0 items-center gap-1">
      <span className="shrink-0 text-quiet">{name}</span>
      <code className="min-w-0 truncate font-mono text-xs">{id}</code>
      <Copy text={id} />
    </li>
  );
}

/** The words of the call's record; none of them are shown to those who may not see people. */
function Said({ attempt }: { attempt: AttemptCourse }) {
  const { transcript, recording_url: recording, structured_data: data, metadata } = attempt;
  return (
    <>
      {(transcript || recording) && (
        <Section id="transcript" title="What was said" acts={<Recording url={recording} />}>
          <Talk attempt={attempt} name={attempt.name} />
        </Section>
      )}
      {data !== null && data !== undefined && (
        <Section id="data" title="Structured data">
          <Tree value={data} />
        </Section>
      )}
      {metadata && Object.keys(metadata).length > 0 && (
        <Section id="metadata" title="Metadata of the call">
          <Tree value={metadata} />
        </Section>
      )}
    </>
  );
}

/** A link: nothing from elsewhere is loaded into this page but by our own server. */
function Recording({ url }: { url: string | null }) {
  if (url === null) return null;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    return <span className="text-sm text-quiet">recording: {url}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="link">
      Open the recording at {new URL(url).host}
    </a>
  );
}
