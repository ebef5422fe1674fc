import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { OneKey } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Ago, Since, Time } from '../../kit/time.tsx';
import { about, count, counted, percent } from '../../kit/words.ts';
import { useCallsOf } from '../../shell/live-calls.ts';
import { KeyActs } from './acts.tsx';
import { KeyCharts } from './charts.tsx';
import { creditOf, doingOf, levelOf } from './doing.ts';
import { Spent, useSeries } from './hour.tsx';
import { Lately } from './lately.tsx';
import { refusedLastMinute, sentLastMinute, whyMore } from './line.tsx';
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
              <Limits of={data} />
              <KeyActs of={data} />
            </div>
            <KeyCharts name={name} span={span} />
            <Lately name={name} />
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
              last hour, and they were sent again.
            </>
          )}
    </Glance>
  );
}

/** Each limit that it has, beside what it does now; how one is known stands below it. */
function Limits({ of: key }: { of: OneKey }) {
  const calling = useCallsOf()(key);
  const { rate, rate_from: from, belief, losses, call_limit: own, cost_1h: spent } = key;
  const { limit, sure = 0, since, max_calls: most, creates, probing, account } = belief ?? {};
  const calls = [most, own?.now].filter((each) => each != null);
  return (
    <Section id="limit" title="Its limits">
      <Facts>
        <Fact name="Rate">
          <B>{about(sentLastMinute(key) / 60)}</B>{' '}
          <span title={whyMore(key)}>
            {limit ? `of about ${about(limit)} requests a second` : 'requests a second, no limit met yet'}
          </span>
          <Small>
            {limit && since && (
              <>
                Learned <Ago at={since} />, {percent(sure)} sure.{' '}
              </>
            )}
            {rate !== null &&
              !(limit && rate > limit) &&
              `Carillon sends up to ${about(rate)}${from && from !== 'learned' ? ` (${from})` : ''}.`}
            {probing && ' It is refused now: single requests ask when it goes on.'}
          </Small>
        </Fact>
        <Fact name="Calls at once">
          <B>{count(calling)}</B>{' '}
          {calls.length > 0 ? `of ${count(Math.min(...calls))}` : ', and none was refused as too many'}
          {own && own.kept > 0 && (
            <Small>
              {count(own.kept)} of {counted(own.most, 'call')} stay free for those that come in
              {own.inbound !== null && `, of which there are ${count(own.inbound)} now`}.
            </Small>
          )}
        </Fact>
        {creates ? <Fact name="New calls">about {about(creates)} a second</Fact> : null}
        {spent > 0 && (
          <Fact name="Cost">
            <B>
              <Spent of={key} />
            </B>{' '}
            in the last hour
          </Fact>
        )}
        {losses > 0 && <Fact name="No answer">{counted(losses, 'request')} for its calls lately</Fact>}
        {account && (
          <Fact name="Shared">
            with {account.join(', ')}: the limit is that of all of them, and the pace this key’s part
          </Fact>
        )}
      </Facts>
    </Section>
  );
}

const B = ({ children }: { children: ReactNode }) => <b className="text-lg font-semibold">{children}</b>;
const Small = ({ children }: { children: ReactNode }) => (
  <span className="block text-sm text-quiet">{children}</span>
);
