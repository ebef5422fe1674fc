import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link to an address that is put together as text, such as one with the id of a thing. */
type PageLinkProps = { to: string; className?: string; children: ReactNode };

export function PageLink({ to, className = 'link', children }: PageLinkProps) {
  return (
    <Link to={to} className={className}>
      {children}
    </Link>
  );
}
