import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { AlertRuleAnswer } from '../../api/alerts';
import { createTestApi, renderPart } from '../render-part.fixture';
import { AlertsPage } from './alerts-page';

afterEach(cleanup);

const rule: AlertRuleAnswer = {
  ...{ id: 'r', kind: 'no_worker', phrase: 'No worker for 2 min: sms', channel: 'sms' },
  ...{ integrationId: null, params: { minutes: 2 }, fallback: null, isEnabled: true },
  sendBy: { integrationId: 'm', to: ['ops@example.com'] },
  ...{ firingSince: 1_000, sentence: 'No worker serves sms.', updatedAt: 1_000 },
};
const incident = {
  ...{ id: 'i', ruleId: 'r', phrase: 'No worker for 2 min', firedAt: 1_000, resolvedAt: null },
  ...{ sentence: 'No worker serves sms.', isQuiet: false, logQuery: 'state=queued&channel=sms' },
  notifications: [
    {
      ...{ id: 'n', kind: 'fired', outcome: 'not_sent', tries: 1, sentBy: null },
      ...{ detail: 'Not sent: its integration Mail is the failing one.', createdAt: 1, endedAt: 2 },
    },
  ],
};

const at = '/api/apps/:appId/alerts';

function open(answers: Record<string, unknown> = {}) {
  const api = createTestApi({
    [`GET ${at}`]: { rules: [rule], max: 20 },
    [`GET ${at}/history`]: { incidents: [incident] },
    'GET /api/apps/:appId/integrations': {
      integrations: [
        { id: 'm', name: 'Mail', channel: 'email' },
        { id: 's', name: 'Team', channel: 'slack' },
        { id: 't', name: 'Texts', channel: 'sms' },
      ],
    },
    ...answers,
  });
  renderPart(<AlertsPage />, api);
  return api;
}

test('a firing rule shows its facts, and the history shows why nothing was sent and links to the log', async () => {
  open();
  expect(await screen.findByText(/firing since/)).toBeTruthy();
  expect((await screen.findByRole('alert')).textContent).toContain('No worker serves sms.');
  expect(await screen.findByText(/Alert: not sent. Not sent: its integration Mail/)).toBeTruthy();
  const link = await screen.findByRole('link', { name: 'Show in log' });
  expect(link.getAttribute('href')).toBe('/apps/a/log?state=queued&channel=sms');
});

test('a rule names who sends it once the integrations are read, and not a removed one before', async () => {
  let read: (answer: object) => void = () => undefined;
  const answer = new Promise<object>((resolve) => {
    read = resolve;
  });
  open({ 'GET /api/apps/:appId/integrations': () => answer });
  await screen.findByText('No worker for 2 min: sms');
  expect(screen.queryByText(/removed/)).toBeNull();
  read({ integrations: [{ id: 'm', name: 'Mail', channel: 'email' }] });
  expect(await screen.findByText('Mail')).toBeTruthy();
});

test('a new rule is sent with the numbers of its kind, and a wrong number is named beside its field', async () => {
  const api = open({ [`POST ${at}`]: { rules: [], max: 20 } });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Create rule' }));
  await user.selectOptions(await screen.findByLabelText('Kind'), 'Receipts stopped');
  await screen.findByRole('option', { name: 'Texts' });
  await user.selectOptions(screen.getByLabelText('Integration'), 'Texts');
  const minutes = screen.getByLabelText('No receipt in');
  await user.clear(minutes);
  await user.type(minutes, '61');
  await user.selectOptions(screen.getByLabelText('Send by'), 'Mail (email)');
  await user.type(screen.getByLabelText('To'), 'a@example.com, b@example.com');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Create rule' }));
  expect(
    await screen.findByText('No receipt in must be a whole number from 15 to 60.'),
  ).toBeTruthy();
  await user.clear(minutes);
  await user.type(minutes, '45');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Create rule' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const body = {
    ...{ kind: 'receipts_stopped', channel: null, integrationId: 't' },
    params: { messages: 20, minutes: 45 },
    sendBy: { integrationId: 'm', to: ['a@example.com', 'b@example.com'] },
    fallback: null,
  };
  expect(api.call).toHaveBeenCalledWith(`POST ${at}`, { appId: 'a', body });
});

test('one changed number of a rule is asked for before it is lost', async () => {
  open();
  const user = userEvent.setup();
  const change = await screen.findByRole('button', { name: /^Change No worker/ });
  await user.click(change);
  await screen.findAllByRole('option', { name: 'Mail (email)' });
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.click(change);
  await user.type(await screen.findByLabelText('For'), '0');
  await user.keyboard('{Escape}');
  const name = 'Discard the changes to the alert rule?';
  expect(screen.getByRole('dialog', { name }).textContent).toContain('Not saved: For.');
});

test('a test shows the answer of the provider', async () => {
  open({ [`POST ${at}/:id/test`]: { isSent: false, detail: 'mail.example.com refused it.' } });
  await userEvent.click(await screen.findByRole('button', { name: /^Test No worker/ }));
  expect(await screen.findByText('mail.example.com refused it.')).toBeTruthy();
  expect(screen.getByText('Test not sent: No worker for 2 min: sms')).toBeTruthy();
});
