import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link to a page where there is one; its words where there is not. */
export function useHasPage(): (path: string) => boolean {
  const router = useRouter();
  return (path) => {
    const plain = path.split('?')[0]!;
    // The name of an act is not the id of a thing: `/campaigns/new` is a page of its own, or none.
    if (/\/new$/.test(plain)) return plain in router.routesByPath;
    return router.getMatchedRoutes(plain)[2] !== undefined;
  };
}

export function PageLink({
  to,
  className,
  children,
}: {
  to: string;
  className?: string;
  children: ReactNode;
}) {
  const hasPage = useHasPage();
  if (!hasPage(to)) return <span>{children}</span>;
  return (
    <Link to={to} className={className ?? 'link'}>
      {children}
    </Link>
  );
}
