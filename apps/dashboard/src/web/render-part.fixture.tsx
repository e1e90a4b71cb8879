import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import type { AppAnswer } from '../api/apps';
import type { RegistryAnswer } from '../api/registry';
import { createQueryClient } from './answers';
import type { Api } from './api';
import { ServicesContext, type Session, SessionContext, type SignedIn } from './context';
import { LeaveGuards } from './parts/leave-guards';

export function createApp(id: string, name: string): AppAnswer {
  const inbox = { openInboxCounters: false, inboxSignature: true };
  const optional = { defaultRegion: null, pageColor: null, retentionDays: null };
  const settings = { delivery: 'live', ...inbox, ...optional } as const;
  const pause = { sendingPausedAt: null, sendingPausedBy: null };
  return {
    ...settings,
    ...pause,
    id,
    name,
    createdAt: 0,
    ...{ needsAttention: 0, disabledWebhooks: 0 },
    isStorageFull: false,
  };
}

export const signedIn: SignedIn = {
  state: 'signed_in',
  operator: { id: 'o', email: 'ana@example.com', role: 'owner' },
  account: { id: 'c', name: 'Account' },
  expiresAt: 0,
  endsAt: 0,
  connection: { kind: 'plain', version: '1', gatewayUrl: 'http://localhost' },
};

export const registry: RegistryAnswer = {
  channels: [],
  states: {},
  skipReasons: {},
  failureReasons: {},
  helpers: [],
  defaultPolicy: { attempts: 1, timeToLiveMs: 1, onUnknown: 'hold' },
  magicRecipients: [],
};

/** A server that gives each route its answer, or that of its function. A route without one never answers. */
export function createTestApi(answers: Record<string, unknown>) {
  const call = jest.fn((route: string, _input?: unknown, _signal?: AbortSignal) => {
    if (!Object.hasOwn(answers, route)) return new Promise<never>(() => undefined);
    const answer = answers[route];
    return Promise.resolve({ value: typeof answer === 'function' ? answer() : answer });
  });
  return { call, getUrl: (route: string) => route };
}

type TestApi = ReturnType<typeof createTestApi>;

/** Renders a part of the page for an owner, in the first of the apps. */
export function renderPart(
  part: ReactNode,
  api: TestApi,
  { path = '/', ...changes }: Partial<Session> & { path?: string } = {},
) {
  const apps = changes.apps ?? [createApp('a', 'Shop')];
  const reloadApps = async () => undefined;
  const session = {
    session: signedIn,
    apps,
    app: apps[0],
    registry,
    mayChange: true,
    isOwner: true,
  };
  const element = <LeaveGuards>{part}</LeaveGuards>;
  const router = createMemoryRouter([{ path: '*', element }], { initialEntries: [path] });
  // The server of a test answers with any type.
  const services = { api: api as unknown as Api, nonce: '' };
  render(
    <ServicesContext value={services}>
      <SessionContext value={{ ...session, reloadApps, ...changes }}>
        <QueryClientProvider client={createQueryClient()}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </SessionContext>
    </ServicesContext>,
  );
  return router;
}
