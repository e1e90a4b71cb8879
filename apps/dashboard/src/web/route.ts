import { useMatches } from 'react-router';

export type AppPage =
  | 'overview'
  | 'log'
  | 'resends'
  | 'events'
  | 'integrations'
  | 'queues'
  | 'sandbox'
  | 'users';
export type AccountPage = 'keys' | 'apps' | 'people' | 'account' | 'audit';

/** The page of the current URL, for navigation and titles. Each route of router.tsx names its page in `handle`. */
export type Route =
  | { page: 'home' | 'missing' | AccountPage }
  | { page: AppPage; appId: string; id: string | undefined };

export function useRoute(): Route {
  const last = useMatches().at(-1);
  const handle = last?.handle as { page?: Route['page'] } | undefined;
  const { appId, id } = last?.params ?? {};
  return { page: handle?.page ?? 'missing', appId, id } as Route;
}

/** The path of a page, below the base of the router. */
export function buildPath(appId: string, page: AppPage, id?: string): string {
  const path = `/apps/${encodeURIComponent(appId)}/${page}`;
  return id === undefined ? path : `${path}/${encodeURIComponent(id)}`;
}
