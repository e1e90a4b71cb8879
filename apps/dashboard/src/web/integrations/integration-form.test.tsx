import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, Link, RouterProvider } from 'react-router';
import type { IntegrationAnswer } from '../../api/integrations';
import { createQueryClient } from '../answers';
import { type Services, ServicesContext, type Session, SessionContext } from '../context';
import { IntegrationForm } from './integration-form';

afterEach(cleanup);

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

// The form reads only these parts of the session.
const session = {
  mayChange: true,
  app: { id: 'a1', delivery: 'live' },
  registry: {
    channels: [
      { channel: 'email', providers: [smtp] },
      { channel: 'push', providers: [fcm] },
    ],
  },
} as unknown as Session;

function createStored(): IntegrationAnswer {
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
    createdAt: 1,
    updatedAt: 2,
    receiptUrl: null,
    canAddToSlack: false,
    problems: [],
  };
}

function open(
  stored: IntegrationAnswer | undefined,
  answer: object = { value: stored },
  openSession = session,
) {
  const call = jest.fn(async (..._args: unknown[]) => answer);
  const go = jest.fn();
  const services = { api: { call }, navigation: { go } } as unknown as Services;
  const form = <IntegrationForm stored={stored} onChanged={async () => undefined} />;
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
  return { user: userEvent.setup(), call, go };
}

const getInput = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const getCounts = () => [
  screen.getByText(/to correct/).textContent,
  document.querySelectorAll('[aria-invalid="true"]').length,
];

describe('the form of an integration', () => {
  test('counts exactly the fields that it marks, and focuses the first', async () => {
    const { user, call } = open(undefined);
    await user.click(screen.getByRole('radio', { name: /SMTP/ }));
    await user.clear(getInput('Port'));
    await user.type(getInput('Port'), '70000');
    await user.click(screen.getByText('Test connection'));
    expect(getCounts()).toEqual(['4 fields to correct: Name, Host, Port, Sender address', 4]);
    expect(screen.getByText('Port must be at most 65,535.')).toBeTruthy();
    expect(document.activeElement).toBe(getInput('Name'));
    expect(call).not.toHaveBeenCalled();
  });

  test('shows what the server refuses beside its field, by its label', async () => {
    const fields = [
      { path: 'settings.from', problem: 'is missing' },
      { path: 'credentials.pass', problem: 'must be entered again' },
    ];
    const error = 'settings.from is missing';
    const { user } = open(createStored(), { problem: { code: 'invalid', error, fields } });
    await user.click(screen.getByText('Save'));
    expect(screen.getByText('Sender address is missing.')).toBeTruthy();
    expect(screen.getByText('Password must be entered again.')).toBeTruthy();
    expect(getCounts()).toEqual(['2 fields to correct: Sender address, Password', 2]);
    expect(document.body.textContent).not.toMatch(/settings\.|credentials\./);
  });

  test('hides secrets, shows user names, and says when a secret was last changed', () => {
    open(createStored());
    expect([getInput('Password').type, getInput('Password').value]).toEqual(['password', '']);
    expect([getInput('User name').type, getInput('User name').value]).toEqual(['text', 'ana']);
    expect(screen.getByText('last changed 3 days ago')).toBeTruthy();
  });

  test('sends only the credentials that changed; a cleared user name is removed', async () => {
    const { user, call } = open(createStored());
    await user.type(getInput('Host'), '.org');
    await user.click(screen.getByText('Save'));
    const host = 'mail.example.com.org';
    const settings = { host, port: 587, from: { address: 'a@example.com' } };
    const body = { name: 'smtp-main', settings, credentials: {}, updatedAt: 2 };
    const route = 'PUT /api/apps/:appId/integrations/:id';
    expect(call.mock.calls).toEqual([[route, { appId: 'a1', id: 'i1', body }]]);
    await user.clear(getInput('User name'));
    await user.type(getInput('Password'), 'secret');
    await user.click(screen.getByText('Save'));
    expect(call.mock.lastCall?.[1]).toMatchObject({
      body: { credentials: { user: null, pass: 'secret' } },
    });
  });

  test('forgets a secret once it is saved', async () => {
    const { user } = open(createStored());
    await user.type(getInput('Password'), 'secret');
    await user.click(screen.getByText('Save'));
    await screen.findByText(/^Saved\./);
    expect(getInput('Password').value).toBe('');
    await user.click(screen.getByText('Leave'));
    expect(await screen.findByText('Other page')).toBeTruthy();
  });

  test('asks before changes are lost, and names them', async () => {
    const { user } = open(createStored());
    await user.type(getInput('Host'), 'x');
    await user.click(screen.getByText('Leave'));
    expect(screen.getByText('Not saved: Host.')).toBeTruthy();
    expect(screen.getByRole('dialog', { name: /smtp-main/ })).toBeTruthy();
  });

  test('asks before another provider replaces a half-filled form', async () => {
    const { user } = open(undefined);
    await user.click(screen.getByRole('radio', { name: /SMTP/ }));
    await user.type(getInput('Host'), 'mail.example.com');
    await user.click(screen.getByRole('radio', { name: /Firebase/ }));
    expect(getInput('Host').value).toBe('mail.example.com');
    await user.click(screen.getByText('Discard changes'));
    expect(getInput('Service account key').value).toBe('');
  });

  test('hides a long secret, too', async () => {
    const { user } = open(undefined);
    await user.click(screen.getByRole('radio', { name: /Firebase/ }));
    const area = getInput('Service account key');
    expect(area.className).toContain('hidden-text');
    await user.click(screen.getByRole('button', { name: 'Show Service account key' }));
    expect(area.className).not.toContain('hidden-text');
  });

  test('cannot be changed by a viewer', () => {
    open(createStored(), {}, { ...session, mayChange: false });
    expect(getInput('Host').matches(':disabled')).toBe(true);
    expect(screen.queryByText('Save')).toBeNull();
  });
});
