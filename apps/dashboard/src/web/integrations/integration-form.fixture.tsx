import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, Link, RouterProvider } from 'react-router';
import type { IntegrationAnswer } from '../../api/integrations';
import { createQueryClient } from '../answers';
import { type Services, ServicesContext, type Session, SessionContext } from '../context';
import { LeaveGuards } from '../parts/leave-guards';
import { IntegrationForm } from './integration-form';

const dayMs = 86_400_000;
const text = (title: string, more = {}) => ({ type: 'string', title, ...more });

const smtp = {
  provider: 'smtp',
  label: 'SMTP',
  settings: {
    type: 'object',
    required: ['host', 'port', 'from'],
    properties: {
      host: text('Host', { minLength: 1 }),
      port: { type: 'integer', title: 'Port', minimum: 1, maximum: 65_535, default: 587 },
      from: {
        type: 'object',
        required: ['address'],
        properties: { address: text('Sender address') },
      },
    },
  },
  credentials: {
    type: 'object',
    properties: { user: text('User name', { 'x-shows-value': true }), pass: text('Password') },
  },
};
const key = text('Service account key', { maxLength: 16_384 });
const fcm = {
  provider: 'fcm',
  label: 'Firebase',
  settings: { type: 'object', properties: {} },
  credentials: { type: 'object', required: ['key'], properties: { key } },
};

const webPush = {
  provider: 'web_push',
  label: 'Web push',
  settings: { type: 'object', required: ['subject'], properties: { subject: text('Contact') } },
  credentials: {
    type: 'object',
    required: ['public_key', 'private_key'],
    properties: {
      public_key: text('Public key', { 'x-shows-value': true, 'x-made-by-belfry': true }),
      private_key: text('Private key', { 'x-made-by-belfry': true }),
    },
  },
};

// The form reads only these parts of the session.
export const session = {
  mayChange: true,
  app: { id: 'a1', delivery: 'live' },
  registry: {
    channels: [
      { channel: 'email', providers: [smtp] },
      { channel: 'push', providers: [fcm, webPush] },
    ],
  },
} as unknown as Session;

export function createStored(): IntegrationAnswer {
  return {
    id: 'i1',
    name: 'smtp-main',
    channel: 'email',
    provider: 'smtp',
    settings: { host: 'mail.example.com', port: 587, from: { address: 'a@example.com' } },
    credentials: {
      user: { last4: '', value: 'ana', changedAt: null },
      pass: { last4: '', value: null, changedAt: Date.now() - 3 * dayMs },
    },
    state: 'active',
    stateReason: null,
    health: {
      verdict: 'untested',
      lastSuccessAt: null,
      lastFailureAt: null,
      lastError: null,
      failuresInRow: 0,
      succeeded: 0,
      failed: 0,
      isCircuitOpen: false,
      pausedAt: null,
      pausedBy: null,
    },
    usedBy: [],
    waiting: 0,
    isWaitingCapped: false,
    createdAt: 1,
    updatedAt: 2,
    receiptUrl: null,
    dnsRecord: null,
    mailSignature: null,
    canAddToSlack: false,
    problems: [],
  };
}

export function open(
  stored: IntegrationAnswer | undefined,
  answer: object = { value: stored },
  openSession = session,
) {
  const call = jest.fn(async (..._args: unknown[]) => answer);
  const go = jest.fn();
  const services = { api: { call }, navigation: { go } } as unknown as Services;
  const onChanged = jest.fn(async () => undefined);
  const form = (
    <LeaveGuards>
      <IntegrationForm stored={stored} onChanged={onChanged} />
    </LeaveGuards>
  );
  const router = createMemoryRouter([
    {
      path: '/',
      element: (
        <ServicesContext value={services}>
          <SessionContext value={openSession}>
            <QueryClientProvider client={createQueryClient()}>
              {form}
              <Link to="/other">Leave</Link>
            </QueryClientProvider>
          </SessionContext>
        </ServicesContext>
      ),
    },
    { path: '/other', element: <h1>Other page</h1> },
  ]);
  render(<RouterProvider router={router} />);
  return { user: userEvent.setup(), call, go, onChanged };
}

export const getInput = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
