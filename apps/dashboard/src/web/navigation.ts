import type { createBrowserRouter } from 'react-router';

export type Router = ReturnType<typeof createBrowserRouter>;
export type Navigation = ReturnType<typeof createNavigation>;
export type PageLocation = { path: string; search: string };

/** Navigation by paths relative to the root of the page, for code outside of links. */
export function createNavigation(router: Router, root: URL) {
  return {
    /** The current location; it can be newer than that of the last render. */
    here(): PageLocation {
      const { pathname, search } = router.state.location;
      return { path: pathname.slice(root.pathname.length), search: search.slice(1) };
    },
    getHref: (path: string, search = '') => root.pathname + path + (search ? `?${search}` : ''),
    go(path: string, { search = '', isReplacing = false } = {}) {
      void router.navigate(
        { pathname: `/${path}`, search: search ? `?${search}` : '' },
        { replace: isReplacing },
      );
    },
  };
}
