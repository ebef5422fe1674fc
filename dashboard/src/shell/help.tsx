import { Dialog } from '../kit/dialog.tsx';
import { navigation } from './navigation.ts';

/** The keys that the page knows. */
const keys = [
  ['/', 'find a person'],
  ['?', 'show these keys'],
  ['j  k', 'next and previous row of a table'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['Esc', 'close a dialog'],
] as const;

export function HelpDialog({ onClose }: { onClose(): void }) {
  const rows = [...keys, ...navigation.map(({ key, label }) => [`g  ${key}`, label] as const)];
  return (
    <Dialog open onClose={onClose} title="Keys">
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-1.5">
        {rows.map(([key, words]) => (
          <div key={key} className="contents">
            <dt>
              {key.split('  ').map((part) => (
                <kbd
                  key={part}
                  className="mr-1 inline-block min-w-6 rounded-sm border border-line-strong px-1.5 text-center font-mono text-xs"
                >
                  {part}
                </kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
