import { type ComponentProps, type ReactNode, useState } from 'react';
import { offWords, silence } from './store.ts';
import { classes } from './words.ts';

/** What all parts of the page are made of: icons, the sign and the word of a state, buttons, text to copy. */

/** The icons of the page: a line each, on a grid of 16, in the colour of the words beside them. */
const icons = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4V10h-3v3.5h-4Z',
  call: 'M5.2 2.5 3 3.2c-.6 4.6 5 10.2 9.8 9.8l.7-2.3-2.7-1.5-1.3 1.2C8 9.7 6.4 8 5.7 6.6l1-1.3Z',
  lines: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  people:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-2.6 2-4 4.5-4s4.5 1.4 4.5 4M10.5 3.2a2.4 2.4 0 0 1 0 4.6M12 9.8c1.6.5 2.5 1.8 2.5 3.7',
  ear: 'M2.5 9.5V8a5.5 5.5 0 0 1 11 0v1.5M2.5 9.5h2.2v4H3.5a1 1 0 0 1-1-1ZM13.5 9.5h-2.2v4h1.2a1 1 0 0 0 1-1Z',
  query:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.3 6.3C6.4 5.2 7.1 4.7 8 4.7c1 0 1.7.6 1.7 1.5C9.7 7.5 8 7.6 8 9M8 11.2v.1',
  key: 'M5.5 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM7.7 7.8l5.3-5.3M10.5 5l2 2',
  hash: 'M6.5 2.5 5 13.5M11 2.5 9.5 13.5M3 6h11M2 10h11',
  bar: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM3.8 3.8l8.4 8.4',
  scales: 'M8 2.5v11M4 4.5h8M4 4.5 2 9h4ZM12 4.5 10 9h4ZM5.5 13.5h5',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.5',
  hook: 'M8 2.5v5M8 7.5a3 3 0 1 1-3 3M5 10.5V9.5M8 2.5 6 4.5M8 2.5l2 2',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3ZM6.7 14h2.6',
  ticket: 'M2.5 5.5h11v6h-11ZM5 8.5h3M10.5 8.5h.5',
  lanes: 'M2.5 3.5h11v3h-11ZM2.5 9.5h7v3h-7Z',
  sliders: 'M3 4.5h6M12 4.5h1M3 11.5h1M7 11.5h6M10.5 3v3M5.5 10v3',
  pulse: 'M1.5 8.5h3L6.5 3l3 10 1.8-4.5h3.2',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14',
  plus: 'M8 3v10M3 8h10',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M4.5 3v10L12 8Z',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  columns: 'M2.5 3h11v10h-11ZM6.2 3v10M9.8 3v10',
  down: 'M1.7 10.5V9.2c3.6-3.5 9-3.5 12.6 0v1.3h-3V8.2M1.7 10.5h3V8.2',
  theme: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 2v12',
  more: 'M3 7.7v.6M8 7.7v.6M13 7.7v.6M2.7 8h.6M7.7 8h.6M12.7 8h.6',
  open: 'M3.5 6 8 10.5 12.5 6',
} as const;

export type IconName = keyof typeof icons;

type IconProps = { name: IconName; size?: number; className?: string };

export const Icon = ({ name, size = 16, className }: IconProps) => (
  <Sign
    grid={16}
    size={size}
    className={className}
    d={icons[name]}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
  />
);

type SignProps = Omit<ComponentProps<'path'>, 'ref'> & { grid: number; size: number };

export const Sign = ({ grid, size, className, ...path }: SignProps) => (
  <svg
    viewBox={`0 0 ${grid} ${grid}`}
    width={size}
    height={size}
    fill="currentColor"
    aria-hidden="true"
    className={classes('shrink-0', className)}
  >
    <path {...path} />
  </svg>
);

/** The state of a thing as a word, a colour and a shape, so that it can be told apart without colours. */
type Tone = keyof typeof tones;
type Shape = keyof typeof shapes;

const shapes = {
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
  <Sign grid={12} size={size} className={className} d={shapes[shape]} fillRule="evenodd" />
);

/**
 * A button; `kind` says how much weight the act has, and `busy` that it runs now. One in a view is `main`. A button that
 * `acts` is disabled while Carillon does not answer; one with `busy` acts unless it says otherwise.
 */
type ButtonKind = 'plain' | 'main' | 'danger' | 'quiet';
export type ButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
  kind?: ButtonKind;
  small?: boolean;
  busy?: boolean;
  acts?: boolean;
  children: ReactNode;
};

const kinds: Record<ButtonKind, string> = {
  plain: 'border-text/18 bg-card hover:bg-quiet-soft',
  main: 'border-text bg-text text-inverse hover:opacity-85',
  danger: 'border-transparent bg-danger text-white hover:opacity-90',
  quiet: 'border-transparent text-quiet hover:text-text hover:bg-quiet-soft',
};

export const buttonClasses = (kind: ButtonKind = 'plain', small = false): string =>
  classes(
    'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap text-sm leading-none select-none disabled:border-dashed disabled:border-text/18 disabled:bg-card disabled:text-quiet disabled:hover:opacity-100',
    'max-sm:min-h-10',
    small ? 'min-h-[26px] px-2 text-xs' : 'min-h-8 px-[11px]',
    // One of many, as in each row of a list, has a ground and no frame.
    small && kind === 'plain' ? 'border-transparent bg-quiet-soft hover:bg-track' : kinds[kind],
  );

export function Button({ kind, small, busy, acts = busy !== undefined, ...rest }: ButtonProps) {
  const isOff = silence.use() !== null && acts;
  const { className, disabled, title, children, ...button } = rest;
  return (
    <button
      type="button"
      {...button}
      title={isOff ? offWords : title}
      disabled={disabled || busy || isOff}
      aria-busy={busy || undefined}
      className={classes(buttonClasses(kind, small), className)}
    >
      {children}
      {isOff && <span className="sr-only">{offWords}</span>}
    </button>
  );
}

export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // Only https and localhost may.
      setState('failed');
    }
    setTimeout(() => setState('idle'), 2_000);
  };
  return (
    <Button small kind="quiet" onClick={() => void copy()}>
      {state === 'idle' ? label : state === 'copied' ? 'Copied' : 'Select and copy it by hand'}
    </Button>
  );
}

export const Command = ({ children }: { children: string }) => (
  <span className="my-1 flex items-center justify-between gap-2 rounded-md bg-sunken py-1 pr-1 pl-3 text-left">
    <code className="min-w-0 font-mono text-sm wrap-anywhere whitespace-pre-wrap text-text">{children}</code>
    <Copy text={children} />
  </span>
);

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
