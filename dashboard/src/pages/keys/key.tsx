import { getRouteApi } from '@tanstack/react-router';
import type { OneKey } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Ago, durationText, Since, Time } from '../../kit/time.tsx';
import { about, count, counted, percent } from '../../kit/words.ts';
import { KeyActs } from './acts.tsx';
import { KeyCharts, useSeries } from './charts.tsx';
import { creditOf, doingOf, levelOf } from './doing.ts';
import { refusedLastMinute, sentLastMinute } from './line.tsx';
import { lastRefused, refusedIn } from './points.ts';
import { usualSpan } from './spans.ts';
import { KeyTrouble } from './trouble.tsx';

const route = getRouteApi('/keys/$name');

/** One key: what it may send, what is believed of its limit and why, and what can be done. */
export function KeyPage() {
  const { name } = route.useParams();
  const { span = usualSpan } = route.useSearch();
  const key = useLive('GET /api/keys/{name}', { params: { name } }, { everyMs: 3_000, on: ['key.'] });
  return (
    <>
      <PageHead
        title={name}
        up={{ to: '/keys', label: 'Keys' }}
        state={
          key.data && (
            <>
              <Badge state={key.data.state} soft />
              <span className="text-xs text-quiet max-md:hidden">
                <Since at={key.data.since} />
              </span>
            </>
          )
        }
      />
      <Read of={key} lines={8}>
        {(data) => (
          <>
            <KeyTrouble of={data} />
            {data.state === 'open' && <Doing of={data} />}
            <div className="grid grid-cols-1 gap-x-8 lg:grid-cols-2">
              <Limit of={data} />
              <KeyActs of={data} />
            </div>
            <KeyCharts name={name} span={span} />
          </>
        )}
      </Read>
    </>
  );
}

/** What it does, and when it was last slowed: of the last hour as soon as that is known. */
function Doing({ of: key }: { of: OneKey }) {
  const { data } = useSeries(key.name, usualSpan);
  const refused = data ? refusedIn(data) : refusedLastMinute(key);
  const at = data && lastRefused(data);
  return (
    <Glance level={levelOf([key])} title={doingOf(key)}>
      {creditOf(key)}{' '}
      {refused === 0
        ? 'The service refused nothing in the last hour.'
        : at && (
            <>
              Slowed briefly at <Time at={at} />: the service refused {counted(refused, 'request')} in the
              last hour. They were sent again, and nobody lost an attempt.
            </>
          )}
    </Glance>
  );
}

/** The limit in sentences: what is sent at most, and what was met; how it is known is folded. */
function Limit({ of: key }: { of: OneKey }) {
  const { rate, rate_from: from, belief, calling, losses, call_limit: own } = key;
  const refused = refusedLastMinute(key);
  const { limit, sure, since, max_calls: most, creates, probing, account } = belief ?? {};
  const windowMs = belief?.window_ms;
  return (
    <Section id="limit" title="Its limit">
      <div className="max-w-prose space-y-1.5">
        <p>
          {rate === null ? (
            'How fast it may go is not known yet.'
          ) : (
            <>
              Carillon sends <b className="font-semibold">up to {about(rate)} requests a second</b>
              {from && from !== 'learned' && ` (${from})`}.
            </>
          )}{' '}
          {limit
            ? `The service took about ${about(limit)} before it refused more${rate !== null && rate > limit ? '; more is tried, as its limit may have risen' : ''}.`
            : 'The service has refused nothing as too fast yet.'}
        </p>
        <p>
          <b className="font-semibold">{counted(sentLastMinute(key), 'request')} in the last minute</b>
          {rate !== null && `, of about ${count(Math.round((limit ?? rate) * 60))} that it could send`}
          {refused > 0 && `; ${count(refused)} were refused as too many, and sent again`}.
        </p>
        <p>
          <b className="font-semibold">{counted(calling, 'call')} at once</b>
          {most
            ? `, of at most ${count(most)} that the service takes.`
            : own
              ? `, of at most ${count(own.now)} that you set.`
              : '; the service has refused none as too many at once.'}
          {creates ? ` It takes about ${about(creates)} new calls a second.` : ''}
        </p>
        {own && own.kept > 0 && (
          <p>
            {count(own.kept)} of {counted(own.most, 'call')} stay free for those that come in
            {own.inbound !== null && `, of which there are ${count(own.inbound)} now`}.
          </p>
        )}
        {limit && since && (
          <details className="text-sm text-quiet">
            <summary className="w-max cursor-pointer hover:text-text">How the limit is known</summary>
            Learned <Ago at={since} />, {percent(sure ?? 0)} sure
            {windowMs ? `, counted over ${durationText(windowMs)}` : ''}.
          </details>
        )}
        {probing && <p className="text-warn">It is refused now: single requests ask when it goes on.</p>}
        {losses > 0 && (
          <p className="text-warn">
            {counted(losses, 'request', 'requests')} for its calls got no answer lately.
          </p>
        )}
        {account && (
          <p className="text-quiet">
            It shares this limit with {account.join(', ')}: it is that of all of them, and the pace is this
            key’s part.
          </p>
        )}
      </div>
    </Section>
  );
}
