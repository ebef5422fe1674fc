import { useLive } from '../../data/use-live.ts';
import { rateText } from '../../kit/answers.ts';
import { Section } from '../../kit/card.tsx';
import { cost, count, counted, sumOf } from '../../kit/words.ts';
import { useLastDays } from '../../shell/campaigns.ts';
import { inProgress, useLiveCalls, useMostCalls } from '../../shell/live-calls.ts';
import { MoreLink, PageLink } from '../../shell/page-link.tsx';
import { closedFirst, KeyLine, NoKeys } from '../keys/line.tsx';
import { CallStrip } from '../live/strip.tsx';

/** The calls in progress in words and as a strip. */
export function OnTheLine() {
  const live = useLiveCalls();
  const most = useMostCalls();
  if (!live.data) return null;
  const all = inProgress(live.data);
  return (
    <Section
      id="line"
      title={all === 0 ? 'No call in progress' : `${counted(all, 'call')} in progress`}
      note={most !== null && all <= most && `of at most ${count(most)}`}
      acts={<MoreLink to="/live">Live calls</MoreLink>}
    >
      <CallStrip live={live.data} />
    </Section>
  );
}

const most = 8;

/** The keys: the state of each, its pace against what is believed of its limit, and its calls. */
export function Keys() {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  if (!keys.data) return null;
  const { items } = keys.data;
  const open = items.filter(({ state, present }) => state === 'open' && present).length;
  // Those that need a person come first, then those that make calls.
  const shown = [...items].sort((a, b) => closedFirst(a, b) || b.calling - a.calling).slice(0, most);
  return (
    <Section
      id="keys"
      title="Keys"
      note={`${count(open)} of ${count(items.length)} make calls`}
      acts={items.length > most && <PageLink to="/keys">All keys</PageLink>}
    >
      {items.length === 0 ? (
        <NoKeys />
      ) : (
        <ul className="border-t border-line">
          {shown.map((key) => (
            <KeyLine key={key.name} of={key} />
          ))}
        </ul>
      )}
    </Section>
  );
}

const callsOf = ({ calls }: { calls: number }) => calls;

/** The calls of all campaigns in the last 24 hours, beside those of the 24 before. */
export function LastDay({ currency }: { currency: string | null }) {
  const { before, last } = useLastDays();
  const [ended, answered] = [sumOf(last.map(callsOf)), sumOf(last.map(({ connects }) => connects))];
  const earlier = sumOf(before.map(callsOf));
  if (ended + earlier === 0) return null;
  const isCostKnown = last.some((point) => point.cost !== null);
  return (
    <p className="mb-6 text-sm text-quiet">
      <b className="font-semibold text-text">{counted(ended, 'call')}</b> in the last 24 hours
      {ended > 0 && `, ${rateText(answered / ended)} answered`}
      {isCostKnown && `, ${cost(sumOf(last.map((point) => point.cost)), currency)}`};{' '}
      {counted(earlier, 'call')} the day before.
    </p>
  );
}
