import type { LiveCalls } from '../api/description.ts';
import { legendClasses, Named } from './balance-bar.tsx';
import { useSecond } from './time.tsx';
import { classes, count } from './words.ts';

/** One bar hangs for each call, as bells do from a beam, the longest first: an outline rings, a stub is a free place. */
const mostBars = 200;
const mostFree = 60;

const px = 40;

type CallStripProps = {
  calls: LiveCalls;
  /** How many there may be at once; null where no limit is known. */
  most: number | null;
  /** Their numbers stand elsewhere on the page. */
  brief?: boolean;
};

export function CallStrip({ calls: { items, counts }, most, brief = false }: CallStripProps) {
  const now = useSecond();
  const { shown, size } = binned(items);
  const all = counts.dialing + counts.ringing + counts.talking;
  const free = Math.max(0, (most ?? 0) - all);
  const stubs = size > 1 ? 0 : Math.min(free, Math.max(0, mostFree - shown.length));
  const longest = Math.max(10_000, ...shown.map(({ dialed_at: at }) => now - Date.parse(at)));
  const legend = [
    ['bg-live-fill', counts.talking, 'talking'],
    ['border-[1.5px] border-live-fill', counts.ringing + counts.dialing, 'ringing'],
    ...(free === 0 ? [] : ([['bg-ink-3', free, 'free']] as const)),
  ] as const;
  return (
    <div>
      <div
        role="img"
        aria-label={`${count(all)} calls in progress`}
        className="grid items-start justify-items-center border-t-2 border-ink"
        style={{
          // A bare beam where nobody is called.
          height: all + free === 0 ? 2 : px,
          gridTemplateColumns: `repeat(${Math.max(20, shown.length + stubs)}, minmax(1px, 1fr))`,
        }}
      >
        {shown.map(({ attempt, phase, dialed_at: at }) => (
          <i
            key={attempt}
            className={classes(
              'w-[min(8px,70%)] rounded-b-sm',
              phase === 'talking' ? 'bg-live-fill' : 'border-[1.5px] border-t-0 border-live-fill',
            )}
            style={{ height: Math.max(5, ((now - Date.parse(at)) / longest) * px) }}
          />
        ))}
        {Array.from({ length: stubs }, (_, nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a free place is like the next.
          <i key={nth} className="h-1 w-[min(8px,70%)] rounded-b-xs bg-ink-3" />
        ))}
      </div>
      <ul className={classes(legendClasses, all + free === 0 && 'hidden')}>
        {legend.map(([fill, n, word]) => (
          <Named key={word} fill={fill}>
            {!brief && <span className="font-medium text-text">{count(n)} </span>}
            {word}
          </Named>
        ))}
        <li className="max-sm:hidden">
          {size > 1
            ? `A bar is ${count(size)} calls; the longer it hangs, the longer they last.`
            : 'A bar is a call; the longer it hangs, the longer it lasts.'}
        </li>
      </ul>
    </div>
  );
}

/** Several calls in one bar where there are too many to tell apart: it is as long as the first of them. */
function binned(items: LiveCalls['items']): { shown: LiveCalls['items']; size: number } {
  const size = Math.ceil(items.length / mostBars);
  return { shown: size < 2 ? items : items.filter((_, nth) => nth % size === 0), size };
}
