import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { PersonRow } from '../../api/people';
import { createQueryClient } from '../answers';
import { type Services, ServicesContext, type Session, SessionContext } from '../context';
import { PeoplePage } from './people-page';

afterEach(cleanup);

const row = { role: 'owner', since: 0, lastSeenAt: 0, hasTotp: true } as const;
const ana: PersonRow = { ...row, id: 'a', email: 'ana@example.com', isYou: true };
const ben: PersonRow = { ...row, id: 'b', email: 'ben@example.com', isYou: false };
const cleo: PersonRow = { ...ben, id: 'c', email: 'cleo@example.com', hasTotp: false };

const dan = { id: 'd', email: 'dan@example.com', role: 'viewer', invitedBy: null, expiresAt: 0 };

function open(isOwner: boolean) {
  const list = { people: [ana, ben, cleo], invitations: [dan] };
  const call = jest.fn(async (route: string, _input?: object) => ({
    value: route.startsWith('GET') ? list : { ...list, people: [ana, cleo] },
  }));
  render(
    <ServicesContext value={{ api: { call } } as unknown as Services}>
      <SessionContext value={{ isOwner } as Session}>
        <QueryClientProvider client={createQueryClient()}>
          <PeoplePage />
        </QueryClientProvider>
      </SessionContext>
    </ServicesContext>,
  );
  return call;
}

test('an owner resets the two-step sign-in of others who have it, with the password', async () => {
  const call = open(true);
  const user = userEvent.setup();
  const button = await screen.findByLabelText(/^Reset two-step sign-in of/);
  expect(button.getAttribute('aria-label')).toContain(ben.email);
  await user.click(button);
  await user.keyboard('her password{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const input = { id: 'b', body: { password: 'her password' } };
  expect(call).toHaveBeenCalledWith('DELETE /api/people/:id/totp', input);
});

test('other roles see who has two-step sign-in, and cannot reset it', async () => {
  open(false);
  expect(await screen.findAllByText('two-step')).toHaveLength(2);
  expect(screen.queryByRole('button', { name: /two-step/ })).toBeNull();
});

test('an invitation is revoked only after a confirmation', async () => {
  const call = open(true);
  const user = userEvent.setup();
  const route = 'DELETE /api/people/invitations/:id';
  const revoke = await screen.findByRole('button', { name: /^Revoke the invitation of dan@/ });
  await user.click(revoke);
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(call).not.toHaveBeenCalledWith(route, expect.anything());
  await user.click(revoke);
  await user.click(screen.getByRole('button', { name: 'Revoke invitation' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(call).toHaveBeenCalledWith(route, { id: 'd' });
});

test('the dialog that changes a role focuses the chosen role, not the password', async () => {
  open(true);
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: /^Change role of ben@/ }));
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Owner' }));
  expect(document.activeElement?.getAttribute('aria-pressed')).toBe('true');
});
