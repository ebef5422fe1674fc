/** A small line without axes, next to the number that it leads to. */
const width = 120;
const height = 16;

export function Spark({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(...values, 1);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${at * step},${height - 1 - (value / most) * (height - 2)}`);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-4 w-30 max-w-full text-calling"
    >
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  );
}
