/** A share as a thin bar, beside the number that says it; `color` is a token. */
export function PartBar({ part, color = '--color-ink-3' }: { part: number; color?: string }) {
  return (
    <span aria-hidden="true" className="block h-1.5 overflow-hidden rounded-sm bg-track">
      <span
        className="block h-full min-w-0.5 rounded-sm"
        style={{ width: `${Math.min(1, part) * 100}%`, backgroundColor: `var(${color})` }}
      />
    </span>
  );
}
