import { type ReactNode, useEffect } from 'react';

/** The head of every page: its title, also that of the tab, and its acts. */
export function PageHead({
  title,
  acts,
  children,
}: {
  title: string;
  acts?: ReactNode;
  children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Carillon`;
  }, [title]);
  return (
    <div className="mb-5 flex flex-wrap items-start justify-between gap-x-4 gap-y-2 md:flex-nowrap">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold">{title}</h1>
        {children && <div className="text-quiet">{children}</div>}
      </div>
      {acts && <div className="flex flex-wrap items-center gap-2 md:shrink-0">{acts}</div>}
    </div>
  );
}
