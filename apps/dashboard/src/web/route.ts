import { useMatches } from 'react-router';
import { useSession } from './context';

export type AppPage =
  | 'overview'
  | 'log'
  | 'resends'
  | 'events'
  | 'integrations'
  | 'queues'
  | 'alerts'
  | 'sandbox'
  | 'users'
  | 'webhooks';
export type AccountPage = 'keys' | 'apps' | 'people' | 'account' | 'audit';

/**
 * The page of the current URL, for navigation and titles. Each route of router.tsx names its page in `handle`. An app that
 * does not exist has no pages.
 */
export type Route =
  | { page: 'home' | 'missing' | AccountPage }
  | { page: AppPage; appId: string; id: string | undefined };

export function useRoute(): Route {
  const { app } = useSession();
  const last = useMatches().at(-1);
  const handle = last?.handle as { page?: Route['page'] } | undefined;
  const { appId, id } = last?.params ?? {};
  if (appId !== undefined && !app) return { page: 'missing' };
  return { page: handle?.page ?? 'missing', appId, id } as Route;
}

/** A path without the prefix of a proxy. A relative one would depend on the page that shows the link. */
export type AbsolutePath = `/${string}`;

/** The path of a page, below the base of the router. */
export function buildPath(appId: string, page: AppPage, id?: string): AbsolutePath {
  const path: AbsolutePath = `/apps/${encodeURIComponent(appId)}/${page}`;
  return id === undefined ? path : `${path}/${encodeURIComponent(id)}`;
}
