import { createContext, useContext } from 'react';
import type { AppAnswer } from '../api/apps';
import type { RegistryAnswer } from '../api/registry';
import type { SessionAnswer } from '../api/session';
import type { Api } from './api';

export type SignedIn = Extract<SessionAnswer, { state: 'signed_in' }>;

/** Services built by main.tsx. */
export type Services = { api: Api; nonce: string };
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
