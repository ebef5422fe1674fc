import {
  Component,
  type ComponentProps,
  type ComponentType,
  memo,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
} from 'react';
import { createStore } from './store.ts';
import { classes } from './words.ts';

/** Which page the address names, what the page reads from it, and the ways to another one. */
type Page<Path extends string = string, Search extends object = object> = {
  /** A part that begins with `$` may be anything: `/campaigns/$id`. */
  path: Path;
  Shown: ComponentType & { preload?(): unknown };
  read(search: Record<string, unknown>): Search;
};

/** The pages add themselves, so that each knows the types of its own address. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled where the pages are listed.
export interface Register {}
type Pages = Register extends { pages: readonly (infer One extends Page)[] } ? One : Page;
type PathOf = Pages['path'];
type PageAt<Path> = Extract<Pages, { path: Path }>;
type SearchOf<Path> = PageAt<Path> extends Page<string, infer Search> ? Search : never;
type ParamsOf<Path extends string> = Path extends `${string}$${infer Name}` ? Record<Name, string> : object;

/** Where one is, and how far down it opens: it stays as it is where that is null. */
type Place = { pathname: string; search: string; y: number | null };
const placeNow = (y: number | null): Place => ({ pathname: location.pathname, search: location.search, y });

/** How far down each address of the history was left; the browser keeps it with the address. */
type Kept = { y: number } | null;
const keepHeight = () => history.replaceState({ y: scrollY }, '');
const place = createStore<Place>({ pathname: '/', search: '', y: null });
let resting: ReturnType<typeof setTimeout> | undefined;

const queryOf = (search: string) => Object.fromEntries(new URLSearchParams(search));

type To = {
  /** Without one, the page that is shown. */
  to?: string | undefined;
  params?: Record<string, string>;
  search?: object | ((before: Record<string, string>) => object) | undefined;
  replace?: boolean | undefined;
  resetScroll?: boolean | undefined;
};

function hrefOf({ to = location.pathname, params = {}, search = {} }: To): string {
  const path = Object.entries(params).reduce(
    (text, [name, value]) => text.replace(`$${name}`, () => encodeURIComponent(value)),
    to,
  );
  const asked = typeof search === 'function' ? search(queryOf(location.search)) : search;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value || value === 0) query.set(name, String(value));
  return query.size > 0 ? `${path}?${query}` : path;
}

export async function navigate(target: To): Promise<void> {
  const href = hrefOf(target);
  const isHere = target.replace || href === location.pathname + location.search;
  const y = target.resetScroll === false ? null : 0;
  keepHeight();
  history[isHere ? 'replaceState' : 'pushState']({ y: y ?? scrollY }, '', href);
  place.set(placeNow(y));
}

function matchOf(pathname: string): { page: Page; params: Record<string, string> } | null {
  const parts = pathname.replace(/(.)\/$/, '$1').split('/');
  for (const page of all.pages) {
    const names = page.path.split('/');
    if (names.length !== parts.length) continue;
    if (!names.every((name, at) => name === parts[at] || (name.startsWith('$') && parts[at]))) continue;
    const free = names.flatMap((name, at) => (name.startsWith('$') ? [[name.slice(1), parts[at]!]] : []));
    try {
      return {
        page,
        params: Object.fromEntries(free.map(([name, text]) => [name, decodeURIComponent(text!)])),
      };
    } catch {
      // Not what any browser writes for a sign.
    }
  }
  return null;
}

export const useLocation = place.use;

type Any = Partial<Record<string, string>>;

/** Of the page at a path, or of whichever is shown. */
export function useSearch<Path extends PathOf = never>(
  path?: Path,
): [Path] extends [never] ? Any : SearchOf<Path> {
  const { pathname, search } = place.use();
  const page = path ? all.pages.find((each) => each.path === path) : matchOf(pathname)?.page;
  return useMemo(() => page?.read(queryOf(search)) ?? {}, [page, search]) as never;
}

/** The filters of a page, which stand in its address: each by its name, as the props of its field. */
export function useFilters<Path extends PathOf>(path: Path, by: Pick<To, 'replace' | 'resetScroll'> = {}) {
  type Filters = Partial<Record<keyof SearchOf<Path> & string, string | undefined>>;
  const search = useSearch(path) as Filters;
  const set = (change: Filters) =>
    void navigate({ to: path, search: { ...search, ...change }, replace: true, ...by });
  const filter = (name: keyof Filters, label: string) => ({
    label,
    value: search[name],
    onChange: (value: string | undefined) => set({ [name]: value } as Filters),
  });
  return { search, set, filter };
}

export function useParams<Path extends PathOf = never>(
  _?: Path,
): [Path] extends [never] ? Any : ParamsOf<Path> {
  const { pathname } = place.use();
  return useMemo(() => matchOf(pathname)?.params ?? {}, [pathname]) as never;
}

type LinkProps = To &
  Omit<ComponentProps<'a'>, 'href'> & {
    /** While its page, or unless it is `exact` one below it, is shown. */
    activeProps?: ComponentProps<'a'>;
    activeOptions?: { exact: boolean };
  };

export function Link(props: LinkProps) {
  const { to, params, search, replace, resetScroll, activeProps, activeOptions, ...anchor } = props;
  const { pathname } = place.use();
  const href = hrefOf(props);
  const isActive = pathname === to || (!activeOptions?.exact && pathname.startsWith(`${to}/`));
  const preload = () => void matchOf(new URL(href, location.href).pathname)?.page.Shown.preload?.();
  return (
    <a
      onMouseEnter={preload}
      onFocus={preload}
      {...anchor}
      {...(isActive && activeProps)}
      className={classes(anchor.className ?? 'link', isActive && activeProps?.className)}
      href={href}
      onClick={(event) => {
        anchor.onClick?.(event);
        const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
        if (defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return;
        event.preventDefault();
        void navigate(props);
      }}
    />
  );
}

export function Navigate(target: To) {
  useEffect(() => void navigate(target));
  return null;
}

type Routes = {
  pages: readonly Page[];
  NotFound: ComponentType;
  Failed: ComponentType<{ error: unknown }>;
};
let all: Routes;
export function createRouter(routes: Routes): void {
  all = routes;
  place.set(placeNow((history.state as Kept)?.y ?? null));
  history.scrollRestoration = 'manual';
  window.addEventListener('scroll', () => {
    clearTimeout(resting);
    if (!isOnItsWay) resting = setTimeout(keepHeight, 100);
  });
  for (const by of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    window.addEventListener(by, () => (isOnItsWay = false), { capture: true, passive: true });
  window.addEventListener('popstate', ({ state }) => {
    // An entry without a state of ours is a jump to another part of the same page.
    if (state) place.set(placeNow((state as Kept)!.y));
  });
}

/** The page that the address names, drawn apart from its frame; what fails in it is told in its place. */
export const Outlet = memo(function Outlet() {
  const now = place.use();
  useLayoutEffect(() => {
    isOnItsWay = false;
    if (now.y !== null) scrollAgain(now, now.y);
  }, [now]);
  const { page } = matchOf(now.pathname) ?? {};
  return (
    <Guard key={page?.path ?? now.pathname} failed={(error) => <all.Failed error={error} />}>
      {page ? <page.Shown /> : <all.NotFound />}
    </Guard>
  );
});

/** The place where one was is still to come: what stands above it is being read. */
let isOnItsWay = false;

/** As far down as it was, as soon as the page is so long again, unless the person moves it meanwhile. */
function scrollAgain(now: Place, y: number): void {
  const end = performance.now() + 10_000;
  const go = () => {
    if (place.get() !== now) return;
    scrollTo(0, y);
    isOnItsWay = scrollY < y - 1 && performance.now() < end;
    if (isOnItsWay) requestAnimationFrame(() => isOnItsWay && go());
  };
  go();
}

type GuardProps = { children: ReactNode; failed(error: unknown): ReactNode };

/** A value that nobody foresaw takes one panel with it, and not the page. */
export class Guard extends Component<GuardProps, { error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? 'unknown' };
  }

  override render() {
    const { error } = this.state;
    return error === null ? this.props.children : this.props.failed(error);
  }
}

/** The way to all of which a part of a page shows some. */
export const MoreLink = (link: { to: string; children: ReactNode }) => (
  <Link {...link} className="link text-sm text-quiet" />
);

/** The name of a campaign or a key, which leads to its page. */
type NameLinkProps = { of: 'campaigns' | 'keys'; name: string; id?: string; className?: string };

export const NameLink = ({ of, name, id = name, className = 'hover:underline' }: NameLinkProps) => (
  <Link to={`/${of}/${encodeURIComponent(id)}`} className={className}>
    {name}
  </Link>
);
