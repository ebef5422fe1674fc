import type { LiveCalls } from '../../api/description.ts';
import { legendClasses, Named } from '../../kit/balance-bar.tsx';
import { Section } from '../../kit/card.tsx';
import { lastsText, useSecond } from '../../kit/time.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { inProgress, useLiveCalls, useMostCalls } from '../../shell/live-calls.ts';
import { PageLink } from '../../shell/page-link.tsx';

const mostBars = 200;
const mostFree = 60;
const few = 12;

/** The calls in progress in words, and as bars on one line: an outline rings, a low one is a free place. */
export function OnTheLine() {
  const live = useLiveCalls();
  const most = useMostCalls();
  const now = useSecond();
  if (!live.data) return null;
  const { items, counts } = live.data;
  const all = inProgress(live.data);
  const free = Math.max(0, (most ?? 0) - all);
  const legend = [
    ['bg-live-fill', counts.talking, 'talking'],
    ['border-[1.5px] border-live-fill', counts.ringing + counts.dialing, 'ringing'],
    ['bg-track', free, 'free'],
  ] as const;
  const words = [
    ...(most !== null && all <= most ? [`of at most ${count(most)}`] : []),
    ...(items[0] ? [`the longest ${lastsText(items[0].dialed_at, now)}`] : []),
  ];
  return (
    <Section
      id="line"
      title={all === 0 ? 'No call in progress' : `${counted(all, 'call')} in progress`}
      note={words.join('; ')}
      acts={
        <PageLink to="/live" className="text-sm text-quiet hover:underline max-sm:hidden">
          Live calls
        </PageLink>
      }
      bare
    >
      {all > 0 && (
        <>
          <Bars items={items} free={free} now={now} label={`${count(all)} calls in progress`} />
          <ul className={legendClasses}>
            {legend
              .filter(([, n]) => n > 0)
              .map(([fill, n, word]) => (
                <Named key={word} fill={fill}>
                  <span className="font-medium text-text">{count(n)}</span> {word}
                </Named>
              ))}
          </ul>
        </>
      )}
    </Section>
  );
}

type BarsProps = { items: LiveCalls['items']; free: number; now: number; label: string };

/** The longest first, and as high as the box; where there are too many to tell apart, a bar is several calls. */
function Bars({ items, free, now, label }: BarsProps) {
  const size = Math.ceil(items.length / mostBars);
  const shown = items.filter((_, nth) => nth % size === 0);
  const places = size > 1 ? 0 : Math.min(free, Math.max(0, mostFree - shown.length));
  const lasts = ({ dialed_at: at }: LiveCalls['items'][number]) => Math.max(1, now - Date.parse(at));
  const longest = Math.max(...items.map(lasts));
  const bars = [
    ...shown.map((call) => ({
      part: lasts(call) / longest,
      look: call.phase === 'talking' ? 'bg-live-fill' : 'border-[1.5px] border-b-0 border-live-fill',
    })),
    ...Array.from({ length: places }, () => ({ part: 0, look: 'bg-track' })),
  ];
  return (
    <div
      role="img"
      aria-label={label}
      title={
        size > 1 ? `A bar is ${count(size)} calls.` : 'A bar is a call: the higher, the longer it lasts.'
      }
      className={classes(
        'flex items-end border-b border-line-strong',
        bars.length <= few ? 'h-4 gap-1' : 'h-9 gap-px',
      )}
    >
      {bars.map(({ part, look }, nth) => (
        <i
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is known by its place.
          key={nth}
          className={classes('min-w-0 flex-1 rounded-t-xs', look)}
          style={{ height: `max(5px, ${part * 100}%)` }}
        />
      ))}
    </div>
  );
}
