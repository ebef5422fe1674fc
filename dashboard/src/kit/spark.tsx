/** A few bars without axes, next to the number that they lead to: the last one is now. */
const mostBars = 12;

export function Spark({ values, label }: { values: readonly number[]; label: string }) {
  const known = values.slice(-mostBars);
  // What began lately has no past: low bars, so that one alone is seen as the last of a row.
  const shown = [...Array<number>(mostBars - known.length).fill(0), ...known];
  const most = Math.max(...shown, 1);
  return (
    <span role="img" aria-label={label} className="flex h-5 items-end gap-px">
      {shown.map((value, nth) => (
        <i
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is known by its place.
          key={nth}
          className={nth === shown.length - 1 ? 'w-1 rounded-t-xs bg-live-fill' : 'w-1 rounded-t-xs bg-ink-3'}
          style={{ height: `${Math.max(2, (value / most) * 20)}px` }}
        />
      ))}
    </span>
  );
}
