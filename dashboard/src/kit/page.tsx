import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { createPortal } from 'react-dom';
import { Read } from './empty.tsx';
import { Link } from './router.tsx';

/** The places in the bar of the shell, how many things need a person (the tab's title begins with it), and its dialogs. */
export type ShellDialog = 'search' | 'help' | 'stop' | 'resume-all' | 'confirm-history';
type Bar = {
  title: HTMLElement | null;
  acts: HTMLElement | null;
  needs: number;
  open(dialog: ShellDialog): void;
};
export const PageBar = createContext<Bar>({ title: null, acts: null, needs: 0, open: () => undefined });

/** A page whose whole is being read: its title, and the outline of what comes, or why it does not. */
type OpeningProps = Pick<PageHeadProps, 'title' | 'up'> & {
  of: Parameters<typeof Read>[0]['of'];
  lines?: number;
};

export const Opening = ({ of, lines = 8, ...head }: OpeningProps) => (
  <>
    <PageHead {...head} />
    <Read of={{ ...of, data: undefined }} lines={lines} />
  </>
);

type PageHeadProps = {
  title: string;
  up?: { to: string; label: string };
  state?: ReactNode;
  acts?: ReactNode;
  children?: ReactNode;
};

/** The head of every page: its title in the bar above it and in that of the tab, and its acts. */
export function PageHead({ title, up, state, acts, children }: PageHeadProps) {
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
          </>,
          bar.title,
        )}
      {bar.acts && acts && createPortal(acts, bar.acts)}
      {children && <div className="mb-5 text-quiet">{children}</div>}
    </>
  );
}
