/** Toggles light and dark, and stores the choice. */
export function switchTheme(): void {
  const root = document.documentElement;
  const theme = root.dataset['theme'];
  const isDark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset['theme'] = isDark ? 'light' : 'dark';
  localStorage.setItem('belfry-theme', root.dataset['theme']);
}
