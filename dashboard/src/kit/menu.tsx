import { Menu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { buttonClasses } from './button.tsx';
import { Icon } from './icon.tsx';

/** Acts behind one button: each opens a question of its own. */
type MenuProps<Id extends string> = {
  children: ReactNode;
  /** With the sign that it opens. */
  small?: boolean;
  acts: readonly (readonly [Id, string])[];
  onChoose(id: Id): void;
};

export const ActsMenu = <Id extends string>({ children, small, acts, onChoose }: MenuProps<Id>) => (
  <Menu.Root modal={false}>
    <Menu.Trigger className={buttonClasses('plain', small)}>
      {children}
      {small && <Icon name="open" size={12} />}
    </Menu.Trigger>
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align="end" className="z-40">
        <Menu.Popup className="min-w-56 rounded-md border border-line bg-raised p-1 shadow-lg outline-none">
          {acts.map(([id, words]) => (
            <Menu.Item
              key={id}
              onClick={() => onChoose(id)}
              className="cursor-pointer rounded-sm px-3 py-1.5 outline-none data-highlighted:bg-quiet-soft"
            >
              {words}
            </Menu.Item>
          ))}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
);
