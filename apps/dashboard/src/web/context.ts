import { createContext, useCallback, useContext, useEffect, useSyncExternalStore } from 'react';
import type { AppAnswer } from '../api/apps';
import type { RegistryAnswer } from '../api/registry';
import type { SessionAnswer } from '../api/session';
import type { Answers, Loaded } from './answers';
import type { Answer, Api } from './api';
import type { Navigation, PageLocation } from './navigation';

export type SignedIn = Extract<SessionAnswer, { state: 'signed_in' }>;

/** Services built by main.tsx. */
export type Services = { api: Api; answers: Answers; navigation: Navigation; nonce: string };
/** Session data available on every page. */
export type Session = {
  session: SignedIn;
  apps: AppAnswer[];
  app: AppAnswer | undefined;
  registry: RegistryAnswer;
  mayChange: boolean;
  isOwner: boolean;
  reloadApps: () => Promise<void>;
};

export const ServicesContext = createContext<Services | undefined>(undefined);
export const SessionContext = createContext<Session | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('useServices was called outside the page');
  return services;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession was called before sign-in');
  return session;
}

/** The app of the current page. */
export function useApp(): AppAnswer {
  const { app } = useSession();
  if (!app) throw new Error('useApp was called outside an app');
  return app;
}

export function useLocation(): PageLocation {
  const { navigation } = useServices();
  return useSyncExternalStore(navigation.subscribe, navigation.here);
}

const retryAfterMs = 5_000;

export type QueryResult<T> = Loaded<T> & { reload: () => Promise<void>; set: (value: T) => void };

/**
 * Queries the server when the page opens, then every `everyMs`, and every 5 s after a failure while the tab is
 * visible. The key must contain everything that changes the answer.
 */
export function useAnswer<T>(
  key: string,
  request: (api: Api) => Promise<Answer<T>>,
  everyMs?: number,
): QueryResult<T> {
  const { api, answers } = useServices();
  const loaded = useSyncExternalStore(answers.subscribe, () => answers.get<T>(key));
  // `key` contains everything that `ask` captures.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  const reload = useCallback(() => answers.load(key, () => request(api)), [api, answers, key]);
  const set = useCallback((value: T) => answers.set(key, value), [answers, key]);
  useEffect(() => void reload(), [reload]);
  const waitMs = loaded.problem?.code === 'unreachable' ? retryAfterMs : everyMs;
  useEffect(() => {
    if (waitMs === undefined) return;
    const timer = setInterval(() => {
      // If every answer takes longer than `waitMs`, repeating the query would always drop the pending one.
      if (document.visibilityState === 'visible' && !answers.isLoading(key)) void reload();
    }, waitMs);
    return () => clearInterval(timer);
  }, [answers, key, reload, waitMs]);
  return { ...loaded, reload, set };
}
