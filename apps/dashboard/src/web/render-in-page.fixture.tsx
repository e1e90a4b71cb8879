import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { createQueryClient } from './answers';
import { type Services, ServicesContext, type Session, SessionContext } from './context';

/** The answer of each route, or a function that creates it. */
export type PageAnswers = Record<string, unknown>;

/** Renders a part of a page for an owner. Returns the calls that it made. */
export function renderInPage(part: ReactNode, answers: PageAnswers) {
  const calls: { route: string; input: unknown }[] = [];
  const api = {
    async call(route: string, input: unknown) {
      calls.push({ route, input });
      const answer = answers[route];
      if (answer === undefined) throw new Error(`The test has no answer of ${route}`);
      return { value: typeof answer === 'function' ? answer(input) : answer };
    },
  };
  const app = { id: 'app-1', name: 'Shop', delivery: 'sandbox' };
  const registry = { channels: [{ channel: 'sms' }, { channel: 'email' }, { channel: 'push' }] };
  const session = { app, apps: [app], registry, mayChange: true, isOwner: true };
  render(
    // Only the parts of them that the tests need.
    <ServicesContext value={{ api } as unknown as Services}>
      <SessionContext value={session as unknown as Session}>
        <QueryClientProvider client={createQueryClient()}>
          <MemoryRouter>{part}</MemoryRouter>
        </QueryClientProvider>
      </SessionContext>
    </ServicesContext>,
  );
  return calls;
}
