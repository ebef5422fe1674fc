import { classes } from './words.ts';

/** The state of a thing as a word, a colour and a shape, so that it can be told apart without colours. */
type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'odd' | 'quiet';
type Shape =
  | 'disc'
  | 'ring'
  | 'play'
  | 'pause'
  | 'check'
  | 'cross'
  | 'up'
  | 'diamond'
  | 'square'
  | 'query'
  | 'half';

const paths: Record<Shape, string> = {
  disc: 'M8 3.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9Z',
  ring: 'M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3Zm0 2a3 3 0 1 0 0 6a3 3 0 0 0 0-6Z',
  play: 'M5 3l8 5l-8 5Z',
  pause: 'M4 3h3v10H4ZM9 3h3v10H9Z',
  check: 'M3 8.6L4.6 7l2.3 2.3L11.9 4.2L13.5 5.8L6.9 12.5Z',
  cross: 'M4.6 3L8 6.4L11.4 3L13 4.6L9.6 8L13 11.4L11.4 13L8 9.6L4.6 13L3 11.4L6.4 8L3 4.6Z',
  up: 'M8 2.5L14 13.5H2Z',
  diamond: 'M8 2l6 6l-6 6l-6-6Z',
  square: 'M3.5 3.5h9v9h-9Z',
  query:
    'M8 2a4 4 0 0 1 4 4c0 2.4-2.9 2.6-2.9 4.4H7C7 7.600 9.900 7.700 9.900 6A1.900 1.900 0 0 0 6.100 6H4a4 4 0 0 1 4-4ZM6.900 12h2.200v2.200H6.900Z',
  half: 'M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3Zm0 2v6a3 3 0 1 0 0-6Z',
};

const tones: Record<Tone, string> = {
  good: 'text-good bg-good-soft',
  busy: 'text-busy bg-busy-soft',
  warn: 'text-warn bg-warn-soft',
  bad: 'text-bad bg-bad-soft',
  odd: 'text-odd bg-odd-soft',
  quiet: 'text-quiet bg-quiet-soft',
};

/** Each value that the API knows, by its own word. */
const looks: Record<string, [Tone, Shape, string?]> = {
  // campaigns
  draft: ['quiet', 'ring'],
  running: ['busy', 'play'],
  paused: ['warn', 'pause'],
  canceled: ['quiet', 'cross'],
  done: ['good', 'check'],
  // rows
  waiting: ['quiet', 'ring'],
  queued: ['busy', 'half'],
  calling: ['busy', 'disc'],
  parked: ['warn', 'pause'],
  unknown: ['odd', 'query'],
  skipped: ['quiet', 'cross'],
  rejected: ['bad', 'square'],
  // attempts
  planned: ['busy', 'half'],
  dialing: ['busy', 'disc'],
  placed: ['busy', 'play'],
  refused: ['bad', 'cross'],
  dropped: ['quiet', 'cross'],
  // outcomes
  answered: ['good', 'check'],
  voicemail: ['quiet', 'square'],
  'no-answer': ['quiet', 'ring', 'no answer'],
  busy: ['warn', 'half'],
  failed: ['bad', 'cross'],
  // keys
  open: ['good', 'check'],
  failing: ['bad', 'up', 'service failing'],
  out_of_credit: ['warn', 'diamond', 'no credit'],
  denied: ['bad', 'cross', 'not accepted'],
  // alerts
  critical: ['bad', 'up'],
  warning: ['warn', 'diamond'],
};

export type BadgeProps = { state: string; label?: string; tone?: Tone; shape?: Shape };

export function Badge({ state, label, tone, shape }: BadgeProps) {
  const [usualTone, usualShape, words = state.replaceAll('_', ' ')] = looks[state] ?? ['quiet', 'disc'];
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 rounded-sm px-1.5 py-px text-xs font-medium whitespace-nowrap',
        tones[tone ?? usualTone],
      )}
    >
      <Mark shape={shape ?? usualShape} />
      {label ?? words}
    </span>
  );
}

export function Mark({ shape }: { shape: Shape }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width="10"
      height="10"
      fill="currentColor"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={paths[shape]} />
    </svg>
  );
}
