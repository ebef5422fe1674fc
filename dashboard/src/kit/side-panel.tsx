import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from './basics.tsx';
import { usePageKeys } from './keys.ts';
import { silence } from './store.ts';

/** A list with the detail of its open row: beside it, and on a narrow page above it. */
export const Split = ({ list, children }: { list: ReactNode; children: ReactNode }) => (
  <div className="-mx-4 -mt-4 -mb-24 grid [overflow-anchor:none] lg:-mx-6 lg:-mb-10 xl:min-h-[calc(100dvh-3.5rem)] xl:grid-cols-[25rem_minmax(0,1fr)]">
    <div className="min-w-0 pt-4 pb-24 xl:border-r xl:border-line lg:pb-10 [&_:is(td,th):first-child]:pl-4 [&_:is(td,th):last-child]:pr-4 lg:[&_:is(td,th):first-child]:pl-6 lg:[&_:is(td,th):last-child]:pr-6 [&_[data-table]]:mx-0 [&_[data-table]]:px-0">
      {list}
    </div>
    {children}
  </div>
);

/** The detail; `foot` is the question that it ends with, which stands in the same place each time. */
type PanelProps = { label: string; foot: ReactNode; children: ReactNode };

export function SidePanel({ label, foot, children }: PanelProps) {
  const panel = useRef<HTMLElement>(null);
  // One that was chosen in the list below it is out of sight.
  useEffect(() => {
    if (panel.current!.getBoundingClientRect().top < 0) panel.current!.scrollIntoView();
  }, []);
  return (
    <section
      ref={panel}
      aria-label={label}
      className="min-w-0 scroll-mt-14 max-xl:order-first xl:sticky xl:top-14 xl:flex xl:h-[calc(100dvh-3.5rem)] xl:flex-col"
    >
      <div className="min-h-0 flex-1 space-y-4 px-4 py-4 lg:px-6 xl:overflow-y-auto">{children}</div>
      {foot}
    </section>
  );
}

/** The question at the foot of a panel, and its answers, each with its key. They never move. */
export type Answer = {
  key: string;
  words: ReactNode;
  note?: ReactNode;
  isOff?: boolean;
  onChoose(): void;
};

type DockProps = { question: ReactNode; answers: readonly Answer[]; children?: ReactNode };

export function Dock({ question, answers, children }: DockProps) {
  const isSilent = silence.use() !== null;
  usePageKeys(
    Object.fromEntries(
      answers.map(({ key, isOff, onChoose }) => [key, isOff || isSilent ? () => {} : onChoose]),
    ),
  );
  return (
    <div
      id="foot"
      className="border-t border-line bg-sunken px-4 py-3 max-xl:sticky max-lg:bottom-14 lg:bottom-0 lg:px-6"
    >
      <p className="flex flex-wrap items-baseline gap-x-3 font-semibold">{question}</p>
      <div className="mt-2 grid grid-cols-2 gap-3 md:auto-cols-fr md:grid-flow-col md:grid-cols-none">
        {answers.map(({ key, words, note, isOff, onChoose }) => (
          <div key={key}>
            <Button
              acts
              disabled={isOff}
              onClick={onChoose}
              className="min-h-10 w-full justify-between! max-md:whitespace-normal!"
            >
              <span className="flex items-center gap-2">{words}</span>
              <kbd className="key-in-button uppercase max-md:hidden">{key}</kbd>
            </Button>
            {note && <p className="mt-1 text-xs text-quiet">{note}</p>}
          </div>
        ))}
      </div>
      {children}
    </div>
  );
}
