import { buttonClasses, CarillonMark } from '../kit/basics.tsx';
import { Page } from '../kit/page.tsx';
import { Link, Navigate, useLocation } from '../kit/router.tsx';
import { counted } from '../kit/words.ts';
import { useNeeds } from './needs.ts';
import { allPages } from './sidebar.tsx';

/** The words where a page does not exist: the nearest one, and that calls are not concerned. */
export function NotFound() {
  const { pathname } = useLocation();
  const near = nearest(pathname);
  const { items, counts } = useNeeds();
  // Who sees this page needs no login, or has done it.
  if (pathname === '/login') return <Navigate to="/" replace />;
  return (
    <Page title="No such page">
      <div className="max-w-xl pt-8">
        <CarillonMark size={40} />
        <p className="mt-4 text-2xl font-semibold tracking-[-0.02em]">This address has no page.</p>
        {near && (
          <p className="mt-1 text-quiet">
            <code className="font-mono text-sm break-all">{decodeURI(pathname)}</code> is close to{' '}
            <Link to={near.to} className="link font-semibold text-text">
              {near.label}
            </Link>
            .
          </p>
        )}
        <p className="mt-3">
          Calls continue: {counted(counts.calling, 'is', 'are')} in progress
          {items.length > 0 && `, and ${counted(items.length, 'thing needs', 'things need')} you`}.
        </p>
        <div className="mt-4 flex gap-2">
          {near && (
            <Link to={near.to} className={buttonClasses('main')}>
              Open {near.label}
            </Link>
          )}
          <Link to="/" className={buttonClasses(near ? 'plain' : 'main')}>
            Open the overview
          </Link>
        </div>
      </div>
    </Page>
  );
}

/** What people call a page that has another name here. */
const called: Readonly<Record<string, string>> = {
  calls: '/live',
  contacts: '/people',
  person: '/people',
  recipients: '/people',
  dnc: '/suppressions',
  rules: '/policy',
  users: '/tokens',
  login: '/tokens',
  logs: '/activity',
  audit: '/activity',
  status: '/health',
  budget: '/settings',
};

/** The page that has the first part of the address, or a word of it, as one of its names or nearly so. */
function nearest(path: string): (typeof allPages)[number] | null {
  const typed = decodeURI(path.split('/')[1]!).toLowerCase();
  const words = [typed, ...typed.split(/[-_ ]/)];
  const likeOf = ({ to, label }: (typeof allPages)[number]) => {
    const whole = label.toLowerCase();
    const others = Object.keys(called).filter((name) => called[name] === to);
    const names = [to.slice(1), whole, ...whole.split(' '), ...others];
    return Math.max(...names.flatMap((name) => words.map((word) => likeness(word, name))));
  };
  const [near] = allPages
    .map((page) => ({ page, like: likeOf(page) }))
    .sort((one, other) => other.like - one.like);
  return near && near.like > 0.5 ? near.page : null;
}

const pairsOf = (word: string) => [...word].map((letter, nth) => letter + (word[nth + 1] ?? ''));

/** Which part of their pairs of letters two words have in common. */
function likeness(one: string, other: string): number {
  const [some, others] = [pairsOf(one), pairsOf(other)];
  return (2 * some.filter((pair) => others.includes(pair)).length) / (some.length + others.length);
}
