import { createContext, useCallback, useContext, useEffect, useSyncExternalStore } from 'react';
import type { AppAnswer } from '../api/apps';
import type { RegistryAnswer } from '../api/registry';
import type { SessionAnswer } from '../api/session';
import type { Answers, Loaded } from './answers';
import type { Answer, Api } from './api';
import type { Place, Places } from './places';

export type SignedIn = Extract<SessionAnswer, { state: 'signed_in' }>;

/** What main.tsx builds. */
export type Services = { api: Api; answers: Answers; places: Places; nonce: string };
/** What a signed-in person has everywhere. */
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
  if (!services) throw new Error('rendered outside of the page');
  return services;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('rendered before sign-in');
  return session;
}

/** The app of a page that has one. */
export function useApp(): AppAnswer {
  const { app } = useSession();
  if (!app) throw new Error('rendered outside of an app');
  return app;
}

export function usePlace(): Place {
  const { places } = useServices();
  return useSyncExternalStore(places.subscribe, places.here);
}

const retryAfterMs = 5_000;

export type QueryResult<T> = Loaded<T> & { reload: () => Promise<void>; set: (value: T) => void };

/**
 * The answer to a question, asked when the page opens, again every `everyMs`, and every 5 s after a failure while the
 * tab is seen. The key names the question: whatever changes the answer stands in it.
 */
export function useAnswer<T>(
  key: string,
  request: (api: Api) => Promise<Answer<T>>,
  everyMs?: number,
): QueryResult<T> {
  const { api, answers } = useServices();
  const loaded = useSyncExternalStore(answers.subscribe, () => answers.get<T>(key));
  // `key` stands for all that `ask` closes over.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  const reload = useCallback(() => answers.load(key, () => request(api)), [api, answers, key]);
  const set = useCallback((value: T) => answers.set(key, value), [answers, key]);
  useEffect(() => void reload(), [reload]);
  const waitMs = loaded.problem?.code === 'unreachable' ? retryAfterMs : everyMs;
  useEffect(() => {
    if (waitMs === undefined) return;
    const timer = setInterval(() => {
      // Where each answer takes longer than `waitMs`, asking again would drop the one that is on its way, each time.
      if (document.visibilityState === 'visible' && !answers.isLoading(key)) void reload();
    }, waitMs);
    return () => clearInterval(timer);
  }, [answers, key, reload, waitMs]);
  return { ...loaded, reload, set };
}
