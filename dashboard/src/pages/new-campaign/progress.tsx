/** How far something is, as a bar with its words; not a limit, so it never warns. */
export function Progress({ label, part, words }: { label: string; part: number; words: string }) {
  return (
    <div>
      <p className="min-h-5 text-sm text-quiet">{words}</p>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuenow={Math.round(part * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={words}
        className="mt-1 h-1 w-full overflow-hidden rounded-sm bg-track"
      >
        <div className="h-full bg-live-fill" style={{ width: `${part * 100}%` }} />
      </div>
    </div>
  );
}
