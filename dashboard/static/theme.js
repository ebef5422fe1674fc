// Before anything is drawn, so that a page in the dark never flashes white: the theme chosen on this browser, if any.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem('carillon-theme');
  } catch {
    // A browser that keeps nothing follows the system.
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();
