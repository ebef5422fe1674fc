import type { ReactNode } from 'react';
import type { Campaign, Forecast } from '../../../api/ask.ts';
import { endWords, isAllRejected } from '../../../campaigns/state.tsx';
import { tickLabel, ticksOf } from '../../../kit/chart/series.ts';
import { Link } from '../../../kit/router.tsx';
import { nextCallText, placeOf } from '../../../kit/their-time.tsx';
import { Time, useNow } from '../../../kit/values.tsx';
import { classes, cost, counted, isSameMinute, sentenceOf } from '../../../kit/words.ts';
import { clockOf, dayNames, hoursOf, readWeek, spansOn } from '../../../order/week.ts';
import { useFreeCalls, useMay } from '../../../shell/reads.ts';

/** When it ends, as a range, what it costs, and what holds it. */
const limits: Record<Forecast['limited_by'], string> = {
  rate: 'its calls go at the pace of its keys',
  window: 'it calls only in its hours',
  calls: 'the service takes no more calls at once',
  credit: 'its keys have no more credit',
  policy: 'the contact rules allow no more',
  number: 'each caller number makes only so many calls in 24 hours',
  refused: 'the service refuses its calls',
  budget: 'its budget ends before the list',
};
const remedies: Partial<Record<Forecast['limited_by'], string>> = {
  window: 'Change the hours',
  calls: 'Allow more calls at once',
  number: 'Allow more calls a number',
};

/** Without a campaign it is of an order that is only asked about. */
type EndingProps = {
  forecast: Forecast;
  campaign?: Campaign;
  attempts?: number;
  currency?: string | null;
};

export function Ending({ forecast, campaign, attempts, currency }: EndingProps) {
  const { ends_at: end, calls, uncalled, cost: more, limited_by: by } = forecast;
  const other = otherEnd(forecast, campaign);
  const next = nextCallText(forecast, campaign?.balance.attempts);
  if (other || end.p50 === null) {
    const [lead, words, note] = other ?? ['Ends', '–', ''];
    return (
      <>
        <Head lead={lead}>{words}</Head>
        <p className="mt-1 text-sm text-quiet">{note}</p>
      </>
    );
  }
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <Head lead={leads[campaign?.state ?? ''] ?? 'Ends about'} quiet={campaign?.state !== 'running'}>
          <Time at={end.p50} />
        </Head>
        {end.p10 && end.p90 && !isSameMinute(end.p10, end.p90) && (
          <span className="text-sm text-quiet">
            8 times of 10 between <Time at={end.p10} /> and <Time at={end.p90} />
          </span>
        )}
      </p>
      <Range end={end} campaign={campaign} />
      {Boolean(uncalled) && (
        <p className="text-sm text-warn">
          About {counted(uncalled!, 'person is', 'people are')} not called before it ends for good.
        </p>
      )}
      <p className="text-sm">
        <span className="text-quiet">
          {next && <b className="font-medium text-text">{sentenceOf(next)} </b>}
          {callsWords(calls, campaign?.max_attempts ?? attempts)}
          {more !== null && `, for about ${cost(more, currency)}`}. No sooner, as{' '}
        </span>
        {campaign ? <LimitedBy by={by} campaign={campaign} /> : `${limits[by]}.`}
        {by === 'window' && campaign?.timezone && (
          <span className="text-quiet"> Grey: closed in {placeOf(campaign.timezone)}.</span>
        )}
      </p>
    </>
  );
}

/** Of a campaign that does not run. */
const leads: Readonly<Record<string, string>> = {
  paused: 'If it is resumed now, it ends about',
  draft: 'If it is started now, it ends about',
};

type HeadProps = { lead: string; quiet?: boolean; children: ReactNode };

const Head = ({ lead, quiet = false, children }: HeadProps) => (
  <span
    className={classes(
      'font-semibold tracking-[-0.02em]',
      quiet && lead !== 'Ends about' ? 'text-xl text-quiet' : 'text-2xl',
    )}
  >
    <span className="mr-2 text-base font-normal tracking-normal text-quiet empty:hidden">{lead}</span>
    {children}
  </span>
);

const callsWords = (calls: number, attempts: number | undefined) =>
  `${counted(calls, 'call is', 'calls are')} to come${attempts === 1 ? '' : ', retries counted'}`;

/** The words where the forecast has no end, or one that cannot be. */
function otherEnd(
  { ends_at: { p50 }, calls, limited_by: by, reason }: Forecast,
  campaign: Campaign | undefined,
): [lead: string, end: ReactNode, note: ReactNode] | null {
  if (campaign) {
    const { waiting, queued, calling, parked, unknown } = campaign.balance;
    if (waiting + queued + calling + parked === 0) {
      if (unknown === 0) return ['Ends', '–', isAllRejected(campaign) ? '' : 'Nobody is left to call.'];
      const link = (
        <Link to={`/unknown?campaign=${campaign.id}`}>
          {counted(unknown, 'attempt is', 'attempts are')} unknown
        </Link>
      );
      return ['Ends', 'when settled', <>No call is to come, but {link}.</>];
    }
  }
  const goesOn = campaign && endWords(campaign);
  if (goesOn) return ['Ends', '–', `It goes on ${goesOn}.`];
  if (p50 === null) {
    const why = by === 'budget' ? 'The budget ends before the list' : `Nobody can tell, as ${limits[by]}`;
    const left = calls > 0 && ` ${counted(calls, 'call is', 'calls are')} left.`;
    return ['Ends', '–', `${why}${reason ? ` (${reason})` : ''}.${left || ''}`];
  }
  // A rule that the forecast does not foresee, such as a rest of all caller numbers.
  const resting = campaign?.standstill?.until;
  if (!resting || Date.parse(resting) <= Date.parse(p50)) return null;
  const note = `Everyone who waits does so until then. ${callsWords(calls, campaign.max_attempts)}.`;
  return ['Not before', <Time key="end" at={resting} />, note];
}

/** What holds it most; where the order says so, with the way to change that. */
function LimitedBy({ by, campaign: { id, max_calls: most, window, days } }: LimitedProps) {
  const may = useMay('operate');
  const keys = useFreeCalls();
  // The keys may allow fewer calls than the order.
  const isCalls = by === 'calls' && most !== null && (keys === null || most <= keys.most);
  const isOrders = isCalls || by === 'number' || (by === 'window' && Boolean(window ?? days));
  if (!isOrders) return `${limits[by]}.`;
  return (
    <>
      {isCalls ? `it makes at most ${counted(most, 'call')} at once` : limits[by]}.{' '}
      {may && <Link to={`/campaigns/${id}?tab=order`}>{remedies[by]}</Link>}
    </>
  );
}
type LimitedProps = { by: Forecast['limited_by']; campaign: Campaign };

/** The times outside the campaign's hours, by the clock of its own zone; none where it has no hours, or no zone. */
function closedOf({ window, days, timezone }: Campaign, begin: number, end: number): [number, number][] {
  const week = readWeek(hoursOf(window, days));
  if (!timezone || !week) return [];
  const clock = clockOf(timezone);
  const open = dayNames.map((_, day) => spansOn(week, day));
  const step = end - begin > 15 * 86_400 ? 3_600 : 900;
  const found: [number, number][] = [];
  for (let at = begin - (begin % step); at < end; at += step) {
    const [day, minute] = clock(at * 1_000);
    if (open[day]!.some(([first, last]) => first <= minute && minute < last)) continue;
    const before = found.at(-1);
    if (before?.[1] === at) before[1] += step;
    else found.push([at, at + step]);
  }
  return found;
}

/** Now, the median and the range around it, on an axis of time; the hours in which nobody is called are grey. */
type RangeProps = { end: Forecast['ends_at']; campaign: Campaign | undefined };

function Range({ end: { p10, p50, p90 }, campaign }: RangeProps) {
  const now = useNow() / 1_000;
  // A forecast is up to half a minute old.
  const secondsOf = (at: string | null) => Math.max(now, Date.parse(at ?? p50!) / 1_000);
  const [soonest, middle, latest] = [secondsOf(p10), secondsOf(p50), secondsOf(p90)];
  const to = latest + (latest - now) * 0.15;
  const from = now - (to - now) * 0.06;
  const at = (time: number) => `${Math.max(0, Math.min(100, ((time - from) / (to - from)) * 100))}%`;
  const spread = (a: number, b: number) => ({ left: at(a), width: `calc(${at(b)} - ${at(a)})` });
  const { step, at: all } = ticksOf(from, to, 5);
  // A word at the edge would leave the column.
  const edge = (to - from) * 0.07;
  const ticks = all.filter((tick) => tick > from + edge && tick < to - edge);
  return (
    <div aria-hidden="true" className="relative mt-6 mb-2 h-12 text-2xs text-quiet">
      <span className="absolute -top-3.5 -translate-x-1/2" style={{ left: at(now) }}>
        now
      </span>
      <span
        className="absolute -top-3.5 -translate-x-1/2 whitespace-nowrap text-text"
        style={{ left: at(middle) }}
      >
        <Time at={p50!} />
      </span>
      {campaign &&
        closedOf(campaign, now, to).map(([begin, end]) => (
          <span key={begin} className="absolute top-1 h-7 bg-track" style={spread(begin, end)} />
        ))}
      {ticks.map((tick) => (
        <span key={tick} className="absolute top-1 h-7 border-l border-line" style={{ left: at(tick) }}>
          <span className="absolute top-8 -translate-x-1/2 whitespace-nowrap">{tickLabel(tick, step)}</span>
        </span>
      ))}
      <span className="absolute top-[17px] h-1 bg-ink-3" style={spread(now, middle)} />
      <span className="absolute top-3 h-3.5 min-w-1 rounded-xs bg-ink-2" style={spread(soonest, latest)} />
      <span className="absolute top-2 h-5.5 w-0.5 bg-text" style={{ left: at(middle) }} />
      <span
        className="absolute top-[15px] size-2 -translate-x-1 rounded-full bg-live-fill"
        style={{ left: at(now) }}
      />
    </div>
  );
}
