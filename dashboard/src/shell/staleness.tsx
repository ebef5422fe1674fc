import { timeText } from '../kit/time.tsx';
import { useLink } from '../live/link.ts';

/** Says when what is shown may be old. It is above everything else that is shown. */
export function Staleness() {
  const { state, okAt } = useLink();
  if (state !== 'silent' && state !== 'failing') return null;
  const why = state === 'silent' ? 'Carillon does not answer.' : 'Carillon answers with errors.';
  return (
    <p role="alert" className="bg-danger px-4 py-1.5 text-center text-sm font-medium text-white">
      {okAt === null ? why : `Stale since ${timeText(okAt)}: ${why}`}{' '}
      {state === 'silent'
        ? 'Nobody can tell from here whether calls continue.'
        : 'Calls do not need this page.'}{' '}
      It asks again by itself.
    </p>
  );
}

const links = {
  starting: ['connecting', 'bg-quiet'],
  live: ['live', 'bg-good-fill'],
  polling: ['every 10 s', 'bg-warn-fill'],
  silent: ['stale', 'bg-bad'],
  failing: ['stale', 'bg-bad'],
  login: ['no login', 'bg-bad'],
} as const;

/** How the page is kept up to date, in the corner of the shell. */
export function LinkState() {
  const { state } = useLink();
  const [words, color] = links[state];
  return (
    <span
      className="flex items-center gap-1.5 text-xs whitespace-nowrap text-quiet"
      title={
        state === 'polling'
          ? 'The stream of events cannot be had: the page asks every 10 seconds.'
          : undefined
      }
    >
      <span className={`size-[7px] rounded-full ${color}`} aria-hidden="true" />
      <span className="max-sm:sr-only">{words}</span>
    </span>
  );
}
