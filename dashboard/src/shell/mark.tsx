/** Three bells on a beam; the last one rings: blue, and red when nobody can be called. */
export const CarillonMark = ({ size = 20, isStopped = false }: { size?: number; isStopped?: boolean }) => (
  <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true" className="shrink-0 fill-text">
    <path d="M1 1h14v1.5H1Z" />
    <path d="M.7 8C1.7 6.4 1 3.5 2.9 3.5S4.1 6.4 5.1 8Z" />
    <path d="M5.8 11C6.8 9.4 6.1 3.5 8 3.5S9.2 9.4 10.2 11Z" />
    <path
      className={isStopped ? 'fill-bad-fill' : 'fill-live-fill'}
      d="M10.9 14.5C11.9 12.9 11.2 3.5 13.1 3.5S14.3 12.9 15.3 14.5Z"
    />
  </svg>
);
