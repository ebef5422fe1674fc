import { getRouteApi } from '@tanstack/react-router';
import type { OneKey } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Notice } from '../../kit/notice.tsx';
import { PageHead } from '../../kit/page.tsx';
import { durationText, timeText } from '../../kit/time.tsx';
import { about, count, counted, percent } from '../../kit/words.ts';
import { mostCalls, useLiveCalls } from '../../shell/live-calls.ts';
import { Lately } from '../activity/entry.tsx';
import { KeyCharts } from './charts.tsx';
import { KeyFigures, UsedLine } from './figures.tsx';
import { useSeries } from './hour.tsx';
import { refusedLastMinute } from './line.tsx';
import { CallerNumbers } from './numbers.tsx';
import { lastRefused, refusedIn, type SpanId, spans } from './points.ts';
import { AskKey, creditOf, doingOf, levelOf, troubleOf } from './trouble.tsx';

const route = getRouteApi('/keys/$name');

/** One key: what it may send, what is believed of its limit and why, and what can be done. */
export function KeyPage() {
  const { name } = route.useParams();
  const { span: asked } = route.useSearch();
  const span = asked && asked in spans ? (asked as SpanId) : '1h';
  const key = useLive('GET /api/keys/{name}', { params: { name } }, { everyMs: 3_000, on: ['key.'] });
  return (
    <>
      <PageHead
        title={name}
        up={{ to: '/keys', label: 'Keys' }}
        state={key.data && <Badge state={key.data.state} soft />}
        // Of a closed key it stands beside what is wrong.
        acts={key.data?.state === 'open' && <AskKey of={key.data} />}
      />
      <Read of={key} lines={8}>
        {(data) => <Known key={name} of={data} span={span} />}
      </Read>
    </>
  );
}

function Known({ of: key, span }: { of: OneKey; span: SpanId }) {
  const { name, state, closed_s: closed } = key;
  const trouble = troubleOf(key, { kind: 'main' });
  const { data: hour } = useSeries(name, '1h');
  const at = hour && lastRefused(hour);
  return (
    <>
      {trouble && <Notice {...trouble} />}
      {state === 'open' && (
        <Glance level={levelOf([key])} title={doingOf(key)}>
          {creditOf(key)}{' '}
          {closed > 0
            ? `It was closed for ${durationText(closed * 1_000)} of the last hour.`
            : 'It was not closed in the last hour.'}
        </Glance>
      )}
      <KeyFigures
        keys={[key]}
        refused={{
          n: hour ? refusedIn(hour) : refusedLastMinute(key),
          span: hour ? 'last hour' : 'last minute',
          note: at && `sent again; the last at ${timeText(at)}`,
        }}
      />
      <KeyCharts name={name} span={span} isOpen={state === 'open'} />
      <details className="mb-6">
        <summary className="link w-max text-sm text-quiet">How its limits are known</summary>
        <p className="mt-2 max-w-prose text-sm">{limitsText(key)}</p>
      </details>
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[1.55fr_1fr]">
        <CallerNumbers of={name} />
        <div>
          <Callers of={key} />
          <Lately title="What happened" verb="key,number,alert" subject={name} codes={/^(?:key|number)-/} />
        </div>
      </div>
    </>
  );
}

function Callers({ of }: { of: OneKey }) {
  const calls = useLiveCalls().data?.items.filter(({ key }) => key === of.name) ?? [];
  const campaigns = new Map(calls.map(({ campaign_id: id, campaign }) => [id, campaign]));
  return (
    <Section id="campaigns" title="Campaigns that call with it now">
      {calls.length === 0 && <p className="text-quiet">No call is in progress.</p>}
      {[...campaigns].map(([id, name]) => {
        const n = calls.filter(({ campaign_id: each }) => each === id).length;
        return <UsedLine key={id} name={name} to={`/campaigns/${id}`} n={n} most={mostCalls(of)} />;
      })}
    </Section>
  );
}

/** How each limit is known, and who else takes a part of it. */
function limitsText({ rate, rate_from: from, belief, losses, call_limit: own }: OneKey): string {
  const { limit, sure = 0, since, creates, probing, account } = belief ?? {};
  const told = [
    limit && since
      ? `It takes about ${about(limit)} requests a second: learned at ${timeText(since)}, ${percent(sure)} sure.`
      : 'No limit of the service was met yet.',
    rate !== null && `Carillon sends up to ${about(rate)}${from && from !== 'learned' ? ` (${from})` : ''}.`,
    limit && rate !== null && rate > limit && 'More than the limit is tried, as it may have risen.',
    probing && 'It is refused now: single requests ask when it goes on.',
    own?.kept && `${count(own.kept)} of ${counted(own.most, 'call')} stay free for those that come in.`,
    own?.inbound && `${counted(own.inbound, 'call')} that came in now.`,
    creates && `It takes about ${about(creates)} new calls a second.`,
    losses > 0 && `${counted(losses, 'request')} for its calls got no answer lately.`,
    account && `It shares its limit with ${account.join(', ')}, and its pace is its part of it.`,
  ];
  return told.filter(Boolean).join(' ');
}
