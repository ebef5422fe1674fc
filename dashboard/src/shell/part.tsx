import { type ReactNode, useEffect } from 'react';
import { Problem } from '../api/ask.ts';
import { Dialog } from '../kit/dialog.tsx';
import { Loading, Trouble } from '../kit/empty.tsx';
import { PageHead } from '../kit/page.tsx';
import { createStore } from '../kit/store.ts';

/**
 * Parts of the page that are not on its first screen. They are loaded when nothing else is to be done, so that each is
 * there when Carillon no longer answers; one that cannot be loaded says so in its place, and the page stays.
 */
const unloaded: (() => Promise<boolean>)[] = [];

type Part<It> = It extends (props: infer Props) => unknown
  ? ((props: Props) => ReactNode) & { preload(): Promise<void> }
  : never;
type Shown = (props: Record<string, unknown>) => ReactNode;

/** `title` is that of a whole page. */
export function part<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  title?: string,
): Part<Module[Name]> {
  const now = createStore<{ Shown: Shown | null; isMissing: boolean }>({ Shown: null, isMissing: false });
  let loading: Promise<void> | undefined;
  const preload = () => {
    loading ??= load().then(
      (module) => now.set({ Shown: module[name] as Shown, isMissing: false }),
      () => {
        loading = undefined;
        now.set({ Shown: null, isMissing: true });
      },
    );
    return loading;
  };
  unloaded.push(() => preload().then(() => now.get().Shown !== null));
  function Loaded(props: Record<string, unknown>) {
    const { Shown, isMissing } = now.use();
    useEffect(() => void preload(), []);
    if (Shown) return <Shown {...props} />;
    const { onClose } = props as { onClose?: () => void };
    if (!isMissing) return !onClose && <Loading />;
    const trouble = <Trouble problem={missing} retry={() => void preload()} />;
    if (onClose)
      return (
        <Dialog title="Not loaded yet" onClose={onClose}>
          {trouble}
        </Dialog>
      );
    return (
      <>
        {title && <PageHead title={title} />}
        {trouble}
      </>
    );
  }
  return Object.assign(Loaded, { preload }) as unknown as Part<Module[Name]>;
}

const missing = new Problem(
  {
    detail: 'This part of the page could not be loaded.',
    remedy:
      'Try again when Carillon answers. If it was updated while this page was open, load the page again.',
  },
  0,
  null,
);
const settleMs = 1_500;

/** One after the other, once the first screen has settled; not where the reader pays for each byte. */
export function useRestOfPage(): void {
  useEffect(() => {
    const { connection } = navigator as { connection?: { saveData?: boolean; type?: string } };
    if (connection?.saveData || connection?.type === 'cellular') return;
    const whenIdle = window.requestIdleCallback ?? ((run) => setTimeout(run, 50));
    const next = async () => {
      const load = unloaded.shift();
      if (!load) return;
      if (await load()) whenIdle(next);
      else unloaded.push(load);
    };
    const timer = setTimeout(() => whenIdle(next), settleMs);
    return () => clearTimeout(timer);
  }, []);
}
