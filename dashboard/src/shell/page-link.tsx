import type { ReactNode } from 'react';
import { Link } from '../kit/router.tsx';

/** A link to an address that is put together as text, such as one with the id of a thing. */
type PageLinkProps = { to: string; className?: string; children: ReactNode };

export const PageLink = ({ to, className = 'link', children }: PageLinkProps) => (
  <Link to={to} className={className}>
    {children}
  </Link>
);

/** The way to all of which a part of a page shows some. */
export const MoreLink = (link: Omit<PageLinkProps, 'className'>) => (
  <PageLink {...link} className="link text-sm text-quiet" />
);

/** The name of a campaign or a key, which leads to its page. */
type NameLinkProps = { of: 'campaigns' | 'keys'; name: string; id?: string; className?: string };

export const NameLink = ({ of, name, id = name, className = 'hover:underline' }: NameLinkProps) => (
  <PageLink to={`/${of}/${encodeURIComponent(id)}`} className={className}>
    {name}
  </PageLink>
);
