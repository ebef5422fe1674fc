import { type ReactNode, useEffect } from 'react';
import { Problem } from '../api/ask.ts';
import { Button } from '../kit/basics.tsx';
import { Empty, Loading, Page, Trouble } from '../kit/page.tsx';
import { createStore, silence, useModal } from '../kit/store.ts';

/**
 * Parts of the page that are not on its first screen. They are loaded when nothing else is to be done, so that each is
 * there when Carillon no longer answers; one that cannot be loaded says so in its place, and the page stays.
 */
const unloaded: (() => Promise<boolean>)[] = [];

type Part<It> = It extends (props: infer Props) => unknown
  ? ((props: Props extends DialogProps ? Props & DialogProps : Props) => ReactNode) & {
      preload(): Promise<void>;
    }
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
    const isSilent = silence.use() !== null;
    // Again when Carillon answers again.
    // biome-ignore lint/correctness/useExhaustiveDependencies: it says when.
    useEffect(() => void preload(), [isSilent]);
    if (Shown) return <Shown {...props} />;
    const { onClose, spare } = props as DialogProps;
    if (!isMissing) return !onClose && <Loading />;
    const trouble = <Trouble problem={missing} retry={() => void preload()} />;
    if (onClose) return <Missing {...{ onClose, spare, trouble }} />;
    return (
      <>
        {title && <Page title={title} />}
        {trouble}
      </>
    );
  }
  return Object.assign(Loaded, { preload }) as unknown as Part<Module[Name]>;
}

/** Of a part that is a dialog: `spare` is what it does at least, where it is missing. */
type DialogProps = { onClose?: () => void; spare?: ReactNode };

const Missing = ({ onClose, spare, trouble }: DialogProps & { trouble: ReactNode }) => (
  <dialog
    ref={useModal()}
    aria-label="Not loaded yet"
    onCancel={onClose}
    className="m-auto max-w-lg rounded-xl border border-line bg-raised p-5 shadow-float backdrop:bg-black/25"
  >
    {trouble}
    <div className="mt-5 flex justify-end gap-2">
      <Button onClick={onClose}>Close</Button>
      {spare}
    </div>
  </dialog>
);

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
  const isSilent = silence.use() !== null;
  useEffect(() => {
    if (isSilent) return;
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
  }, [isSilent]);
}

/** After an update, a page that was open asks for parts that are no longer there: loading again brings the new ones. */
export const PageFailed = ({ error }: { error: unknown }) => (
  <Page title="This page failed">
    <Empty
      title="The page could not be shown."
      act={<Button onClick={() => window.location.reload()}>Load it again</Button>}
    >
      If Carillon was updated while this page was open, loading it again is enough. What the browser said:{' '}
      {error instanceof Error ? error.message : String(error)}
    </Empty>
  </Page>
);
