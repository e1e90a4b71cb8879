// Runs before the first paint to avoid a flash of the wrong theme. Without a stored choice, the system theme applies.
(() => {
  try {
    const storedTheme = localStorage.getItem('belfry-theme');
    if (storedTheme === 'light' || storedTheme === 'dark')
      document.documentElement.dataset.theme = storedTheme;
  } catch {
    // Storage is blocked, so the system theme applies.
  }
})();
