export type AppPage =
  | 'log'
  | 'resends'
  | 'events'
  | 'integrations'
  | 'queues'
  | 'sandbox'
  | 'users';
export type AccountPage = 'keys' | 'apps' | 'people' | 'account' | 'audit';
export type Route =
  | { page: 'home' | 'missing' }
  /** Token of a link with the token in the path: an invitation or a password reset. */
  | { page: 'set-up'; token: string | undefined }
  | { page: AccountPage }
  | { page: AppPage; appId: string; id: string | undefined };

const appPages: readonly string[] = [
  'log',
  'resends',
  'events',
  'integrations',
  'queues',
  'sandbox',
  'users',
] satisfies AppPage[];
const accountPages: readonly string[] = [
  'keys',
  'apps',
  'people',
  'account',
  'audit',
] satisfies AccountPage[];

/** `path` is relative to the base URL of the page. */
export function parseRoute(path: string): Route {
  const [first = '', ...rest] = path.split('/').filter(Boolean).map(decode);
  if (first === '') return { page: 'home' };
  if (first === 'apps' && rest.length > 0) return parseAppRoute(rest);
  if (first === 'invitations' && rest.length === 1) return { page: 'set-up', token: rest[0] };
  if (rest.length > 0) return { page: 'missing' };
  if (first === 'set-up' || first === 'join') return { page: 'set-up', token: undefined };
  return isAccountPage(first) ? { page: first } : { page: 'missing' };
}

function parseAppRoute([appId = '', page = 'log', id, ...beyond]: string[]): Route {
  if (beyond.length > 0 || !isAppPage(page)) return { page: 'missing' };
  return { page, appId, id };
}

const isAppPage = (page: string): page is AppPage => appPages.includes(page);
const isAccountPage = (page: string): page is AccountPage => accountPages.includes(page);

export function buildPath(appId: string, page: AppPage, id?: string): string {
  const path = `apps/${encodeURIComponent(appId)}/${page}`;
  return id === undefined ? path : `${path}/${encodeURIComponent(id)}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
