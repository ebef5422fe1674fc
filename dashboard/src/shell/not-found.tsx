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
  const farOf = ({ to, label }: (typeof allPages)[number]) => {
    const whole = label.toLowerCase();
    const others = Object.keys(called).filter((name) => called[name] === to);
    const names = [to.slice(1), whole, ...whole.split(' '), ...others];
    return Math.min(...names.flatMap((name) => words.map((word) => distance(word, name))));
  };
  const [near] = allPages
    .map((page) => ({ page, far: farOf(page) }))
    .sort((one, other) => one.far - other.far);
  return near && near.far < 0.35 ? near.page : null;
}

/** Which part of the letters must be changed, added or taken away. */
function distance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, nth) => nth);
  for (const [at, letter] of [...one].entries()) {
    const row = [at + 1];
    for (const [nth, there] of [...other].entries())
      row.push(Math.min(row[nth]! + 1, before[nth + 1]! + 1, before[nth]! + (letter === there ? 0 : 1)));
    before = row;
  }
  return before.at(-1)! / Math.max(one.length, other.length);
}
