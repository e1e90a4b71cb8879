export type Navigation = ReturnType<typeof createNavigation>;
export type PageLocation = { path: string; search: string };

type NavigationDeps = { root: URL; window: Window };

/** The current route and navigation, relative to the base URL of the page. */
export function createNavigation({ root, window }: NavigationDeps) {
  const listeners = new Set<() => void>();
  let here = read();
  let guard: (() => boolean) | undefined;

  function read(): PageLocation {
    const { pathname, search } = window.location;
    return {
      path: pathname.startsWith(root.pathname) ? pathname.slice(root.pathname.length) : '',
      search: search.slice(1),
    };
  }

  function notify() {
    here = read();
    for (const listener of listeners) listener();
  }

  return {
    subscribe(listener: () => void) {
      listeners.add(listener);
      window.addEventListener('popstate', notify);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) window.removeEventListener('popstate', notify);
      };
    },
    here: () => here,
    getHref: (path: string, search = '') => root.pathname + path + (search ? `?${search}` : ''),
    /** Called before navigation; false prevents it. */
    setGuard(next: (() => boolean) | undefined) {
      guard = next;
    },
    go(path: string, { search = '', isReplacing = false } = {}) {
      if (path !== here.path && guard && !guard()) return;
      const url = root.pathname + path + (search ? `?${search}` : '');
      if (isReplacing) window.history.replaceState(null, '', url);
      else window.history.pushState(null, '', url);
      notify();
    },
  };
}
