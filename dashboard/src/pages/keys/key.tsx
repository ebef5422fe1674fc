import { getRouteApi, Link } from '@tanstack/react-router';
import type { OneKey } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Stat, Stats } from '../../kit/stat.tsx';
import { Ago, durationText, Since } from '../../kit/time.tsx';
import { about, count, percent } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { Budget } from './budget.tsx';
import { Charts } from './charts.tsx';
import { Queues } from './queues.tsx';
import { usualSpan } from './spans.ts';
import { KeyTrouble } from './trouble.tsx';

const route = getRouteApi('/keys/$name');

/** One key: what it may send, what is believed of its limit and why, and what stands in its queues. */
export function KeyPage() {
  const { name } = route.useParams();
  const { span = usualSpan } = route.useSearch();
  const key = useLive('GET /api/keys/{name}', { params: { name } }, { everyMs: 3_000, on: ['key.'] });
  if (key.error && !key.data)
    return (
      <>
        <PageHead title={name} />
        <Trouble problem={key.error} retry={() => void key.refetch()} />
      </>
    );
  return (
    <>
      <PageHead
        title={name}
        up={
          <Link to="/keys" className="hover:underline">
            Keys
          </Link>
        }
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
      {key.data ? (
        <>
          <KeyTrouble of={key.data} />
          <Limit of={key.data} />
          <div className="grid grid-cols-1 gap-x-6 lg:grid-cols-2">
            <Budget of={key.data} />
            <Queues of={key.data} />
          </div>
        </>
      ) : (
        <Loading lines={8} />
      )}
      <Charts name={name} span={span} />
    </>
  );
}

function Limit({ of: { rate, rate_from: from, belief, calling, losses } }: { of: OneKey }) {
  return (
    <Section id="limit" title="Limit">
      <Stats>
        <Stat name="Allowed now" note={from ?? 'no pace known'}>
          {rate === null ? '–' : `${about(rate)} a second`}
        </Stat>
        <Stat
          name="Believed limit"
          note={
            belief?.limit ? (
              <>
                since <Ago at={belief.since} />
              </>
            ) : (
              'no refusal yet'
            )
          }
        >
          {belief?.limit ? `${about(belief.limit)} a second` : 'none met yet'}
        </Stat>
        <Stat
          name="Certainty"
          note={belief?.probing ? 'refused now: single probes' : 'of the believed limit'}
        >
          {belief === null ? '–' : percent(belief.sure)}
        </Stat>
        <Stat name="Counted over" note="the service’s rate window">
          {belief?.window_ms ? durationText(belief.window_ms) : 'not known'}
        </Stat>
        <Stat
          name="Calls at once"
          note={belief?.max_calls ? `cap of ${count(belief.max_calls)} believed` : 'no cap met'}
        >
          {count(calling)}
        </Stat>
        <Stat
          name="Creates of their own"
          note={losses > 0 ? `${count(losses)} without an answer lately` : 'a limit of creates only'}
        >
          {belief?.creates ? `${about(belief.creates)} a second` : 'no such limit met'}
        </Stat>
      </Stats>
      {belief?.account && (
        <p className="mt-3 text-sm text-quiet">
          It shares this limit with {belief.account.join(', ')}: the limit is that of all of them, and the
          pace is this key’s part.
        </p>
      )}
    </Section>
  );
}
