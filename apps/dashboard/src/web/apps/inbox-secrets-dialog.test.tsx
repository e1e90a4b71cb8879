import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { InboxSecretAnswer } from '../../api/inbox-secrets';
import { createQueryClient } from '../answers';
import { type Services, ServicesContext } from '../context';
import { createApp } from '../render-part.fixture';
import { InboxSecretsDialog } from './inbox-secrets-dialog';

afterEach(cleanup);

const active: InboxSecretAnswer = { id: 'k1', createdAt: 0, revokedAt: null };
const revoked: InboxSecretAnswer = { id: 'k0', createdAt: 0, revokedAt: 1 };

function open(secrets: InboxSecretAnswer[]) {
  const call = jest.fn(async (route: string, _input?: object) => {
    const isList = route.startsWith('GET') || route.endsWith('/revoke');
    return { value: isList ? { secrets, maxActive: 2 } : { id: 'k1', secret: 'bis_secret' } };
  });
  render(
    <ServicesContext value={{ api: { call } } as unknown as Services}>
      <QueryClientProvider client={createQueryClient()}>
        <InboxSecretsDialog app={createApp('a', 'Shop')} onClose={() => undefined} />
      </QueryClientProvider>
    </ServicesContext>,
  );
  return call;
}

test('an active secret is shown after the password', async () => {
  const call = open([active, revoked]);
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Show secret k1' }));
  await user.keyboard('her password{Enter}');
  expect(await screen.findByText('bis_secret')).toBeTruthy();
  const input = { appId: 'a', id: 'k1', body: { password: 'her password' } };
  expect(call).toHaveBeenCalledWith('POST /api/apps/:appId/inbox-secrets/:id/show', input);
});

test('a secret is revoked after the password, and the list is back', async () => {
  const call = open([active]);
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Revoke secret k1' }));
  const dialog = screen.getByRole('dialog', { name: 'Revoke inbox secret' });
  await user.type(within(dialog).getByLabelText('Your password'), 'her password');
  await user.click(within(dialog).getByRole('button', { name: 'Revoke secret' }));
  await waitFor(() => screen.getByRole('dialog', { name: 'Inbox secrets of Shop' }));
  const input = { appId: 'a', id: 'k1', body: { password: 'her password' } };
  expect(call).toHaveBeenCalledWith('POST /api/apps/:appId/inbox-secrets/:id/revoke', input);
});

test('a revoked secret has no actions, and a third one cannot be created', async () => {
  open([active, { ...active, id: 'k2' }, revoked]);
  await screen.findByRole('button', { name: 'Show secret k2' });
  expect(screen.queryByRole('button', { name: 'Show secret k0' })).toBeNull();
  const create = screen.getByRole('button', { name: 'Create secret' });
  expect(create).toHaveProperty('disabled', true);
});
