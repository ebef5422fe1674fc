import { type KeyboardEvent, useId, useState } from 'react';
import { Icon } from '../kit/basics.tsx';
import { useModal } from '../kit/store.ts';
import { Matched } from '../kit/values.tsx';
import { classes } from '../kit/words.ts';
import { useGroups } from './search-groups.tsx';

/** One box over people, campaigns, pages and acts: it answers while one types, and is walked with the arrows. */
export function SearchDialog({ onClose }: { onClose(): void }) {
  const dialog = useModal();
  const list = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const groups = useGroups(typed.trim(), onClose);
  const all = groups.flatMap(({ items }) => items);
  const chosen = all[Math.min(at, all.length - 1)];
  const walk = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      chosen?.open();
      return;
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined || all.length === 0) return;
    event.preventDefault();
    const to = (Math.min(at, all.length - 1) + by + all.length) % all.length;
    setAt(to);
    document.getElementById(`${list}-${all[to]!.id}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, as a click beside it does.
    <dialog
      ref={dialog}
      aria-label="Search or act"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      className="mx-auto mt-[11vh] w-[calc(100%-2rem)] max-w-2xl overflow-hidden rounded-xl border border-line bg-raised p-0 shadow-float backdrop:bg-black/25"
    >
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          autoFocus
          autoComplete="off"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={chosen && `${list}-${chosen.id}`}
          aria-label="A phone, a name, the id of a call, a campaign, a page or an act"
          placeholder="A phone, a name, a call id, a campaign, a page"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={walk}
          className="h-13 min-w-0 flex-1 bg-transparent text-lg outline-none"
        />
        <button type="button" className="key" onClick={onClose}>
          Esc
        </button>
      </div>
      <div
        id={list}
        role="listbox"
        aria-label="What was found"
        className="max-h-[60dvh] overflow-y-auto p-1.5"
      >
        {groups.map(({ title, items, trouble }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is not for options.
          <div key={title} role="group" aria-label={title}>
            <p aria-hidden="true" className="px-3 pt-2 pb-1 text-xs text-quiet">
              {title}
            </p>
            {trouble && <p className="px-3 pb-1.5 text-sm text-quiet">{trouble}</p>}
            {items.map((item) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the box takes the keys.
              <div
                key={item.id}
                id={`${list}-${item.id}`}
                role="option"
                tabIndex={-1}
                aria-selected={item === chosen}
                onClick={item.open}
                className={classes(
                  'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-3 text-sm max-sm:min-h-11',
                  item === chosen ? 'bg-accent-soft' : 'hover:bg-quiet-soft',
                )}
              >
                <Icon name={item.icon} className={item.id === 'stop' ? 'text-bad' : 'text-quiet'} />
                <span className="min-w-0 truncate">
                  <span className={classes('font-medium', item.icon === 'people' && 'inline-block min-w-36')}>
                    <Matched text={item.name} typed={typed} />
                  </span>
                  {item.note && ' '}
                  {item.note && (
                    <span className="ml-1 text-quiet">
                      <Matched text={item.note} typed={typed} />
                    </span>
                  )}
                </span>
                <span className="ml-auto shrink-0">{item.end}</span>
              </div>
            ))}
          </div>
        ))}
      </div>
      <p className="flex items-center gap-3 border-t border-line bg-sunken px-4 py-2 text-xs text-quiet max-sm:hidden">
        <span>
          <kbd className="key">↑</kbd> <kbd className="key">↓</kbd> choose
        </span>
        <span>
          <kbd className="key">Enter</kbd> open
        </span>
      </p>
    </dialog>
  );
}
