import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Button, Icon } from './basics.tsx';
import { offWords, silence } from './store.ts';

/** Acts behind one button: each opens a question of its own. The browser opens it, and closes it at a press elsewhere. */
type MenuProps<Id extends string> = {
  children: ReactNode;
  small?: boolean;
  acts: readonly (readonly [Id, string])[];
  onChoose(id: Id): void;
};

export function ActsMenu<Id extends string>({ children, small, acts, onChoose }: MenuProps<Id>) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const isOff = silence.use() !== null;
  const close = () => {
    menu.current?.hidePopover();
    button.current?.focus();
  };
  const opened = (isNow: boolean) => {
    setOpen(isNow);
    if (!isNow) return;
    place(menu.current!, button.current!);
    if (!menu.current!.contains(document.activeElement)) itemsOf(menu.current!)[0]?.focus();
  };
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') return close();
    const items = itemsOf(menu.current!);
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = [...items.slice(at + 1), ...items.slice(0, at + 1)];
    const to = {
      ArrowDown: next[0],
      ArrowUp: items.at(at > 0 ? at - 1 : -1),
      Home: items[0],
      End: items.at(-1),
    };
    const named = next.find(({ textContent }) =>
      textContent.toLowerCase().startsWith(event.key.toLowerCase()),
    );
    const found = event.key in to ? to[event.key as keyof typeof to] : named;
    if (!found || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    found.focus();
  };
  const openByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    menu.current?.showPopover();
    move(event);
  };
  return (
    <>
      <Button
        ref={button}
        acts
        small={small ?? false}
        id={`${id}-of`}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onKeyDown={openByKey}
      >
        {children}
        {small && <Icon name="open" size={12} />}
      </Button>
      <div
        ref={menu}
        id={id}
        role="menu"
        popover="auto"
        tabIndex={-1}
        aria-labelledby={`${id}-of`}
        onToggle={({ newState }) => opened(newState === 'open')}
        onKeyDown={move}
        className="inset-auto my-1 min-w-56 rounded-md border border-line bg-raised p-1 text-left text-base text-text shadow-lg outline-none"
      >
        {acts.map(([act, words]) => (
          <button
            key={act}
            type="button"
            role="menuitem"
            tabIndex={-1}
            disabled={isOff}
            title={isOff ? offWords : undefined}
            onClick={() => {
              close();
              onChoose(act);
            }}
            className="block w-full rounded-sm px-3 py-1.5 text-left outline-none enabled:hover:bg-quiet-soft focus:bg-quiet-soft disabled:text-quiet"
          >
            {words}
          </button>
        ))}
      </div>
    </>
  );
}

const itemsOf = (menu: HTMLElement) => [...menu.children] as HTMLElement[];

/** Below the button or above it, until the page moves. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const { top, bottom, right } = button.getBoundingClientRect();
  const room = menu.offsetHeight + 8;
  menu.style.top = `${bottom + room < innerHeight ? bottom : top - room}px`;
  menu.style.left = `${Math.max(8, right - menu.offsetWidth)}px`;
  window.addEventListener('scroll', () => menu.hidePopover(), { capture: true, once: true });
}
