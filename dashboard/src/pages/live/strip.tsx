import type { LiveCalls } from '../../api/ask.ts';
import { legendClasses, Named } from '../../kit/bars.tsx';
import { useSecond } from '../../kit/values.tsx';
import { classes, count, lastsText } from '../../kit/words.ts';
import { inProgress, useMostCalls } from '../../shell/reads.ts';

const mostBars = 200;
const mostFree = 60;
const fullMs = 300_000;

/** How much of a bar a call has filled, by the root, as most are short: one scale, so that no long call shrinks the others. */
export const partOf = (ms: number) => Math.sqrt(Math.max(0, Math.min(1, ms / fullMs)));

/** A bar hangs for each call, the longest first; an outline rings, a stub is a free place. The legend says the same. */
export function CallStrip({ live }: { live: LiveCalls }) {
  const most = useMostCalls();
  const now = useSecond();
  const { items, counts } = live;
  const all = inProgress(live);
  if (all === 0) return null;
  const free = Math.max(0, (most ?? 0) - all);
  const size = Math.ceil(items.length / mostBars);
  const shown = items.filter((_, nth) => nth % size === 0);
  const bars = [
    ...shown.map(
      (call) =>
        [partOf(now - Date.parse(call.dialed_at)), call.phase === 'talking' ? talking : ringing] as const,
    ),
    ...Array.from(
      { length: size > 1 ? 0 : Math.min(free, Math.max(0, mostFree - shown.length)) },
      () => [0, place] as const,
    ),
  ];
  const legend = [
    [talking, counts.talking, 'talking'],
    [ringing, counts.ringing, 'ringing'],
    [ringing, counts.dialing, 'dialling'],
    [place, free, 'free'],
  ] as const;
  return (
    <>
      <div
        role="img"
        aria-label={`${count(all)} calls in progress`}
        className="flex h-11 items-start justify-between gap-px border-t-2 border-ink px-2"
      >
        {bars.map(([part, look], nth) => (
          <i
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is known by its place.
            key={nth}
            className={classes('w-2 min-w-0 rounded-b-sm', look)}
            style={{ height: `max(5px, ${part * 100}%)` }}
          />
        ))}
      </div>
      <ul className={legendClasses}>
        {legend
          .filter(([, n]) => n > 0)
          .map(([fill, n, word]) => (
            <Named key={word} name={word} n={n} fill={fill} />
          ))}
        <li>
          {size > 1 && `a bar is ${size} calls; `}a bar is full at 5 minutes, the longest is{' '}
          {items[0]!.name ?? items[0]!.phone} {lastsText(items[0]!.dialed_at, now)}
        </li>
      </ul>
    </>
  );
}

const talking = 'bg-live-fill';
const ringing = 'border-[1.5px] border-live-fill';
const place = 'bg-ink-3';
