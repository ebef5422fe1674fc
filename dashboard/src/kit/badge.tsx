import { Sign } from './icon.tsx';
import { classes } from './words.ts';

/** The state of a thing as a word, a colour and a shape, so that it can be told apart without colours. */
type Tone = keyof typeof tones;
type Shape = keyof typeof paths;

const paths = {
  disc: 'M6 1.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9Z',
  ring: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1Zm0 1.6a3.4 3.4 0 1 0 0 6.8a3.4 3.4 0 0 0 0-6.8Z',
  clock:
    'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1Zm0 1.6a3.4 3.4 0 1 0 0 6.8a3.4 3.4 0 0 0 0-6.8ZM5.4 3.5h1.3v2.2l1.5 1.5-.9.9L5.4 6.2Z',
  voice: 'M1 5h1.6v2H1ZM3.7 3h1.6v6H3.7ZM6.4 1h1.6v10H6.4ZM9.1 3.5h1.6v5H9.1Z',
  play: 'M2.5 1L10.5 6L2.5 11Z',
  pause: 'M2.5 1.5H5v9H2.5ZM7 1.5h2.5v9H7Z',
  check: 'M1 6.4L2.3 5L4.8 7.5L9.7 2.3L11 3.7L4.8 10.2Z',
  cross: 'M2.9 1.5L6 4.6L9.1 1.5L10.5 2.9L7.4 6L10.5 9.1L9.1 10.5L6 7.4L2.9 10.5L1.5 9.1L4.6 6L1.5 2.9Z',
  up: 'M6 .8L11.6 11H.4ZM5.3 4.3v3.4h1.4V4.3ZM5.3 8.5v1.3h1.4V8.5Z',
  dash: 'M1.5 5h9v2h-9Z',
  square: 'M1.8 1.8h8.4v8.4H1.8Z',
  letter: 'M1 2.5h10v7H1ZM2.4 3.9L6 6.7L9.6 3.9Z',
  query:
    'M6 .8C3.7.8 2.4 2.2 2.3 4.2h2.2C4.6 3.2 5.1 2.7 6 2.7s1.5.5 1.5 1.3C7.5 5.3 4.9 5.3 4.9 7.8h2.1C7 6.5 9.7 6.1 9.7 3.9C9.7 2 8.2.8 6 .8ZM4.8 9h2.3v2.3H4.8Z',
  bar: 'M6 .8a5.2 5.2 0 1 1 0 10.4A5.2 5.2 0 0 1 6 .8ZM3.9 3l5.1 5.1A3.7 3.7 0 0 0 3.9 3ZM3 3.9A3.7 3.7 0 0 0 8.1 9Z',
  half: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1Zm0 1.6v6.8a3.4 3.4 0 0 0 0-6.8Z',
} as const;

const tones = {
  good: ['text-good', 'bg-good-soft'],
  busy: ['text-busy', 'bg-busy-soft'],
  warn: ['text-warn', 'bg-warn-soft'],
  bad: ['text-bad', 'bg-bad-soft'],
  odd: ['text-odd', 'bg-odd-soft'],
  quiet: ['text-quiet', 'bg-quiet-soft'],
  text: ['text-text', 'bg-quiet-soft'],
} as const;

/** Each value that the API knows, by its own word. */
const looks: Record<string, [Tone, Shape, string?]> = {
  // campaigns
  draft: ['quiet', 'dash'],
  running: ['busy', 'play'],
  paused: ['warn', 'pause'],
  canceled: ['quiet', 'cross'],
  done: ['text', 'check'],
  // rows
  waiting: ['quiet', 'clock'],
  queued: ['quiet', 'half'],
  calling: ['busy', 'disc'],
  parked: ['warn', 'pause'],
  unknown: ['odd', 'query'],
  skipped: ['quiet', 'dash'],
  rejected: ['bad', 'square'],
  // attempts
  planned: ['quiet', 'half'],
  dialing: ['busy', 'ring', 'dialling'],
  placed: ['busy', 'disc'],
  refused: ['bad', 'cross'],
  dropped: ['quiet', 'cross'],
  // calls on the line
  ringing: ['busy', 'ring'],
  talking: ['busy', 'voice'],
  // outcomes
  answered: ['good', 'check'],
  voicemail: ['quiet', 'letter'],
  'no-answer': ['quiet', 'ring', 'no answer'],
  busy: ['warn', 'half'],
  failed: ['bad', 'cross'],
  // judgements of calls
  fine: ['good', 'check'],
  wrong: ['bad', 'cross'],
  'opt-out': ['warn', 'bar', 'opt out'],
  // keys
  open: ['good', 'check'],
  failing: ['bad', 'up', 'service failing'],
  out_of_credit: ['bad', 'up', 'no credit'],
  denied: ['bad', 'cross', 'not accepted'],
  // alerts
  critical: ['bad', 'up'],
  warning: ['warn', 'up'],
};

export const stateText = (state: string) => looks[state]?.[2] ?? state.replaceAll('_', ' ');

/** `soft` gives it a ground, beside a title. */
type BadgeProps = { state: string; label?: string; tone?: Tone; soft?: boolean };

export function Badge({ state, label, tone, soft }: BadgeProps) {
  const [usual, shape] = looks[state] ?? ['quiet', 'disc'];
  const [ink, ground] = tones[tone ?? usual];
  return (
    <span
      className={classes(
        // The words stand on the line of the text around them, the shape in the middle of the words.
        'inline-flex items-baseline gap-1.5 whitespace-nowrap [&>svg]:self-center',
        ink,
        soft ? classes('rounded-full py-px pr-2 pl-1.5 text-xs font-medium', ground) : 'text-sm',
      )}
    >
      <Mark shape={shape} />
      {label ?? stateText(state)}
    </span>
  );
}

/** Only the shape, for one who reads its words beside it or in its title. */
export function OutcomeMark({ state }: { state: string }) {
  const [tone, shape] = looks[state] ?? ['quiet', 'disc'];
  return (
    <span className={tones[tone][0]}>
      <Mark shape={shape} />
    </span>
  );
}

type MarkProps = { shape: Shape; size?: number; className?: string | undefined };

export const Mark = ({ shape, size = 12, className }: MarkProps) => (
  <Sign grid={12} size={size} className={className} d={paths[shape]} fillRule="evenodd" />
);
