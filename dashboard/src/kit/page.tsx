import { createContext, type ReactNode, useContext, useEffect, useId } from 'react';
import { createPortal } from 'react-dom';
import type { Problem } from '../api/ask.ts';
import { Button, buttonClasses, Command, Mark } from './basics.tsx';
import { Guard, Link } from './router.tsx';
import { silence } from './store.ts';
import { Time } from './values.tsx';
import { classes } from './words.ts';

/** What pages are laid out of: the page itself, its sections, and the words for what is empty, read or in trouble. */

/** Text between backticks is a command. */
export const Commands = ({ text }: { text: string }) =>
  text.split('`').map((part, nth) =>
    nth % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move.
      <code key={nth} className="font-mono text-xs">
        {part}
      </code>
    ) : (
      part
    ),
  );

type EmptyProps = { title: string; children?: ReactNode; act?: ReactNode; command?: string };

export const Empty = ({ title, children, act, command }: EmptyProps) => (
  <div className="mb-6 rounded-lg border border-line px-4 py-8 text-center">
    <p className="font-medium">{title}</p>
    {children && <div className="mx-auto mt-1 max-w-prose text-balance text-quiet">{children}</div>}
    {act && <div className="mt-4 flex justify-center gap-2">{act}</div>}
    {command && (
      <div className="mx-auto mt-4 max-w-prose text-left text-sm text-quiet">
        In a terminal: <Command>{command}</Command>
      </div>
    )}
  </div>
);

export const Trouble = ({ problem, retry }: { problem: Problem; retry?: (() => void) | undefined }) => (
  <Notice
    tone="bad"
    isAlert
    title={problem.message}
    act={
      retry && (
        <Button small onClick={retry}>
          Try again
        </Button>
      )
    }
  >
    <Commands text={problem.remedy} />
  </Notice>
);

/** Stands for what is being read. It takes the room that the content will need. */
export const Loading = ({ lines = 3 }: { lines?: number }) => (
  <div role="status" aria-label="Loading" className="space-y-2">
    {Array.from({ length: lines }, (_, nth) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
      <div key={nth} className="h-5 rounded-sm bg-sunken" />
    ))}
  </div>
);

/** Shows an answer, its outline until it arrives, or why it could not be read. Without children it shows only the last two. */
type ReadProps<T> = {
  of: { data: T | undefined; error: Problem | null; refetch(): unknown };
  lines?: number;
  children?(data: T): ReactNode;
};

export function Read<T>({ of: { data, error, refetch }, lines = 4, children }: ReadProps<T>) {
  if (data !== undefined) return children?.(data);
  return error ? <Trouble problem={error} retry={() => void refetch()} /> : <Loading lines={lines} />;
}

type SectionProps = {
  title: ReactNode;
  note?: ReactNode;
  acts?: ReactNode;
  children: ReactNode;
  ruled?: boolean;
};

const boxed = 'border-t border-line pt-3';

export function Section({ title, note, acts, children, ruled }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mb-6 min-w-0">
      <div className="mb-1.5 flex min-h-7 flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          {note && <span className="text-sm text-quiet">{note}</span>}
        </div>
        {acts}
      </div>
      <Guard failed={unshown}>{ruled ? <div className={boxed}>{children}</div> : children}</Guard>
    </section>
  );
}

const unshown = (error: unknown) => (
  <p className={`${boxed} text-quiet`}>This part cannot be shown. The browser said: {String(error)}</p>
);

/** What one must know before one goes on: what is so, what follows, and the act that settles it. */
export type NoticeProps = {
  tone?: keyof typeof grounds;
  title?: ReactNode;
  /** It came while one looked. */
  isAlert?: boolean;
  act?: ReactNode;
  children?: ReactNode;
};

const grounds = {
  warn: 'border-warn bg-warn-soft',
  bad: 'border-bad bg-bad-soft',
  odd: 'border-odd bg-odd-soft',
} as const;

export const Notice = ({ tone = 'warn', title, isAlert = false, act, children }: NoticeProps) => (
  <div
    role={isAlert ? 'alert' : undefined}
    className={classes(
      'mb-4 flex flex-wrap items-start justify-between gap-3 rounded-lg border px-4 py-2.5',
      grounds[tone],
    )}
  >
    <div className="min-w-0 flex-1 basis-64">
      {title && <p className="font-semibold">{title}</p>}
      {children}
    </div>
    {act}
  </div>
);

/** A page at a glance: whether all is fine, or what to watch, or that something wants a person, or that nothing proved it yet; then what follows. */
export type Level = 'fine' | 'watch' | 'act' | 'untried';

const looks = {
  fine: ['check', 'bg-good-soft text-good', 'Fine.'],
  watch: ['up', 'bg-warn-soft text-warn', 'Watch.'],
  act: ['up', 'bg-bad-soft text-bad', 'Act.'],
  untried: ['dash', 'bg-quiet-soft text-quiet', 'Not tried yet:'],
} as const;

type GlanceProps = { level: Level; title: ReactNode; children?: ReactNode; acts?: ReactNode };

export function Glance({ level, title, children, acts }: GlanceProps) {
  const heardAt = silence.use();
  const [shape, tone, word] = looks[heardAt === null ? level : 'untried'];
  return (
    <div className={classes('mt-1 mb-6 flex gap-3.5', children || acts ? 'items-start' : 'items-center')}>
      <span className={classes('grid size-11 shrink-0 place-items-center rounded-full', tone)}>
        <Mark shape={shape} size={20} />
      </span>
      <div className="min-w-0 max-w-4xl">
        <p className="text-xl font-semibold tracking-[-0.01em]">
          {heardAt !== null ? (
            <>
              At <Time at={heardAt} />:
            </>
          ) : level === 'untried' ? (
            word
          ) : (
            <span className="sr-only">{word}</span>
          )}{' '}
          {title}
        </p>
        {children && <div className="text-quiet">{children}</div>}
        {acts && <div className="mt-2.5 flex flex-wrap gap-2">{acts}</div>}
      </div>
    </div>
  );
}

/** The places in the bar of the shell, how many things need a person (the tab's title begins with it), and its dialogs. */
export type ShellDialog = 'search' | 'help' | 'stop' | 'resume-all' | 'confirm-history';
type Bar = {
  title: HTMLElement | null;
  acts: HTMLElement | null;
  needs: number;
  open(dialog: ShellDialog): void;
};
export const PageBar = createContext<Bar>({ title: null, acts: null, needs: 0, open: () => undefined });

/** Every page: its title in the bar above it and in that of the tab, its acts, and what stands on it. */
type PageProps<T> = {
  title: string;
  up?: { to: string; label: string };
  state?: ReactNode;
  /** A few words beside the title, where there is room. */
  note?: ReactNode;
  acts?: ReactNode;
} & (ReadProps<T> | { of?: undefined; children?: ReactNode });

/** One that is the whole `of` an answer shows its outline until that is there. */
export function Page<T>({ title, up, state, note, acts, ...shown }: PageProps<T>) {
  // To ask again for what is not there cannot help.
  const lost = shown.of?.data === undefined && shown.of?.error?.status === 404 && shown.of.error;
  const bar = useContext(PageBar);
  useEffect(() => {
    document.title = `${bar.needs > 0 ? `(${bar.needs}) ` : ''}${title} · Carillon`;
  }, [title, bar.needs]);
  return (
    <>
      {bar.title &&
        createPortal(
          <>
            {up && (
              <span className="whitespace-nowrap text-quiet max-sm:hidden">
                <Link to={up.to} className="hover:underline">
                  {up.label}
                </Link>{' '}
                /
              </span>
            )}
            <h1 className="truncate pr-0.5 text-lg font-semibold" title={title}>
              {title}
            </h1>
            {state}
            {note && <span className="text-sm text-quiet max-md:hidden">{note}</span>}
          </>,
          bar.title,
        )}
      {bar.acts && acts && createPortal(acts, bar.acts)}
      {lost && up ? (
        <Empty
          title={lost.message}
          act={
            <Link to={up.to} className={buttonClasses('main')}>
              Open {up.label.toLowerCase()}
            </Link>
          }
        />
      ) : shown.of ? (
        <Read lines={8} {...shown} />
      ) : (
        shown.children
      )}
    </>
  );
}
