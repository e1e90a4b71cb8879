export type Places = ReturnType<typeof createPlaces>;
export type Place = { path: string; search: string };

type PlacesDeps = { root: URL; window: Window };

/** Where the person is, and how to get elsewhere, below the place where the page is served. */
export function createPlaces({ root, window }: PlacesDeps) {
  const listeners = new Set<() => void>();
  let here = read();
  let guard: (() => boolean) | undefined;

  function read(): Place {
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
    /** Asked before leaving; false stays. */
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
