import { cleanup, screen, within } from '@testing-library/react';
import type { IntegrationAnswer } from '../../api/integrations';
import { createStored, getInput, open } from './integration-form.fixture';

afterEach(cleanup);

describe('the form of an integration whose keys Belfry makes', () => {
  function createWebPush(): IntegrationAnswer {
    return {
      ...createStored(),
      ...{ id: 'i2', name: 'web', channel: 'push', provider: 'web_push' },
      settings: { subject: 'mailto:a@example.com' },
      credentials: {
        public_key: { last4: '', value: 'the-public-key', changedAt: 1 },
        private_key: { last4: '', value: null, changedAt: 1 },
      },
    };
  }

  test('shows the public key, and sends no key when something else is saved', async () => {
    const { user, call } = open(createWebPush());
    expect(getInput('Public key').readOnly).toBe(true);
    expect(getInput('Public key').value).toBe('the-public-key');
    expect(screen.queryByLabelText('Private key')).toBeNull();
    await user.clear(getInput('Contact'));
    await user.type(getInput('Contact'), 'mailto:b@example.com');
    await user.click(screen.getByText('Save'));
    expect(call).toHaveBeenCalledWith(
      'PUT /api/apps/:appId/integrations/:id',
      expect.objectContaining({ body: expect.objectContaining({ credentials: {} }) }),
    );
  });

  test('makes new keys only after the consequence was confirmed', async () => {
    const { user, call } = open(createWebPush());
    await user.click(screen.getByRole('button', { name: 'Make new keys' }));
    expect(screen.getByText(/gets no push until its page subscribes again/)).toBeTruthy();
    expect(call).not.toHaveBeenCalled();
    const dialog = within(screen.getByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'Make new keys' }));
    // The form behind the dialog does not save itself, too.
    expect(call).toHaveBeenCalledTimes(1);
    expect(call).toHaveBeenCalledWith('PUT /api/apps/:appId/integrations/:id', {
      ...{ appId: 'a1', id: 'i2' },
      body: { updatedAt: 2, credentials: { public_key: null, private_key: null } },
    });
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
