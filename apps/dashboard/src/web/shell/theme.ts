import { useSyncExternalStore } from 'react';

/** `system` follows the browser and is not stored. public/theme.js applies a stored theme before the first paint. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'belfry-theme';
const changed = 'belfry:theme';

export function setTheme(next: Theme): void {
  if (next === 'system') {
    delete document.documentElement.dataset['theme'];
    localStorage.removeItem(key);
  } else {
    document.documentElement.dataset['theme'] = next;
    localStorage.setItem(key, next);
  }
  document.dispatchEvent(new Event(changed));
}

/** From system to light, dark, and back to system. */
export function getNextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}

function subscribe(listener: () => void): () => void {
  document.addEventListener(changed, listener);
  return () => document.removeEventListener(changed, listener);
}

function readTheme(): Theme {
  const theme = document.documentElement.dataset['theme'];
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}
