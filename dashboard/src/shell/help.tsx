import { useState } from 'react';
import { Dialog } from '../kit/dialog.tsx';
import { CheckField } from '../kit/field.tsx';
import { areKeysOn, switchKeys } from '../kit/keys.ts';
import { allPages } from './navigation.ts';

const keys = [
  ['/', 'search or act; also Ctrl K'],
  ['1–9', 'open what needs you, by its number'],
  ['c', 'new campaign'],
  ['Shift S', 'stop everything; it asks once'],
  ['?', 'show these keys'],
  ['j  k', 'next and previous row of a table, or person of a list'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['f', 'to the filters of a list'],
  ['p  r  t', 'on a campaign: pause, resume, try people again'],
  ['e  s', 'on a campaign: its settings, its results'],
  ['d', 'on its results: download the CSV'],
  ['h', 'on Live calls: hang up'],
  ['s', 'on a person: suppress; it asks once'],
  ['c  n  a', 'on Unknown: called, not called, ask the service'],
  ['f  w  n  o', 'on Listen back: fine, wrong, later, opt out'],
  ['Space', 'play or pause a recording; arrows go 5\u00a0s'],
  ['z', 'undo what is not sent yet'],
  ['Esc', 'close a dialog'],
] as const;

export function HelpDialog({ onClose }: { onClose(): void }) {
  const [on, setOn] = useState(areKeysOn);
  const rows = [...keys, ...allPages.map(({ key, label }) => [`g  ${key}`, label] as const)];
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts" wide>
      <dl className="gap-x-8 sm:columns-2">
        {rows.map(([key, words]) => (
          <div key={key} className="flex break-inside-avoid items-baseline gap-3 py-1">
            <dt className="w-24 shrink-0 whitespace-nowrap">
              {key.split('  ').map((part) => (
                <kbd key={part} className="key mr-1">
                  {part.length === 1 ? part.toUpperCase() : part}
                </kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 border-t border-line pt-3">
        <CheckField
          label="Single keys work"
          help="Switch them off where software types for you. Ctrl K stays."
          checked={on}
          onChange={(event) => {
            switchKeys(event.target.checked);
            setOn(event.target.checked);
          }}
        />
      </div>
    </Dialog>
  );
}
