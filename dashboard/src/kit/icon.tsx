import type { ComponentProps } from 'react';
import { classes } from './words.ts';

/** The icons of the page: a line each, on a grid of 16, in the colour of the words beside them. */
const paths = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4V10h-3v3.5h-4Z',
  call: 'M5.2 2.5 3 3.2c-.6 4.6 5 10.2 9.8 9.8l.7-2.3-2.7-1.5-1.3 1.2C8 9.7 6.4 8 5.7 6.6l1-1.3Z',
  lines: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  people:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-2.6 2-4 4.5-4s4.5 1.4 4.5 4M10.5 3.2a2.4 2.4 0 0 1 0 4.6M12 9.8c1.6.5 2.5 1.8 2.5 3.7',
  ear: 'M2.5 9.5V8a5.5 5.5 0 0 1 11 0v1.5M2.5 9.5h2.2v4H3.5a1 1 0 0 1-1-1ZM13.5 9.5h-2.2v4h1.2a1 1 0 0 0 1-1Z',
  query:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.3 6.3C6.4 5.2 7.1 4.7 8 4.7c1 0 1.7.6 1.7 1.5C9.7 7.5 8 7.6 8 9M8 11.2v.1',
  key: 'M5.5 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM7.7 7.8l5.3-5.3M10.5 5l2 2',
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

export type IconName = keyof typeof paths;

type IconProps = { name: IconName; size?: number; className?: string };

export const Icon = ({ name, size = 16, className }: IconProps) => (
  <Sign
    grid={16}
    size={size}
    className={className}
    d={paths[name]}
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
