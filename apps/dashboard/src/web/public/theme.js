// Before the first paint, so that no page flashes in the other theme. The system decides until a person does.
(() => {
  try {
    const asked = localStorage.getItem('belfry-theme');
    if (asked === 'light' || asked === 'dark') document.documentElement.dataset.theme = asked;
  } catch {
    // Storage is forbidden: the system decides.
  }
})();
