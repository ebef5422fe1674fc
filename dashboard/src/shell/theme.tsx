import { useState } from 'react';
import { Icon } from '../kit/icon.tsx';
import { keep } from '../kit/kept.ts';

/** Light, dark, or as the system says; kept in this browser. /theme.js sets it before anything is drawn. */
const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const storeName = 'carillon-theme';

function stored(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function set(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  keep(storeName, theme === 'system' ? null : theme);
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(stored);
  const following = themes[(themes.indexOf(theme) + 1) % themes.length]!;
  return (
    <button
      type="button"
      className="p-0.5 hover:text-text"
      aria-label={`Theme: ${theme}. Change to ${following}`}
      title={`Theme: ${theme}`}
      onClick={() => {
        set(following);
        setTheme(following);
      }}
    >
      <Icon name="theme" />
    </button>
  );
}
