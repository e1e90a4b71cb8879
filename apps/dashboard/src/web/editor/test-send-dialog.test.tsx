import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { EventAnswer } from '../../api/events';
import type { RegistryAnswer } from '../../api/registry';
import { createTestApi, registry, renderPart } from '../render-part.fixture';
import { TestSendDialog } from './test-send-dialog';
import type { Draft } from './use-draft';
import type { Sample } from './use-sample';

afterEach(cleanup);

const testRoute = 'POST /api/apps/:appId/events/:eventId/test';
const dryRunRoute = 'POST /api/apps/:appId/events/:eventId/dry-run';
const channels = [{ channel: 'sms' }, { channel: 'email' }] as RegistryAnswer['channels'];

/** The answers are those of the calls, in their order. */
function open(...answers: object[]) {
  const api = createTestApi({});
  for (const answer of answers) api.call.mockResolvedValueOnce(answer as never);
  renderPart(
    <TestSendDialog
      event={{ id: 'event-1', name: 'order', live: null } as unknown as EventAnswer}
      draft={{ definition: { channels: { sms: {}, email: {} } } } as unknown as Draft}
      sample={{ data: { id: 7 }, user: undefined } as unknown as Sample}
      onClose={() => {}}
    />,
    api,
    { registry: { ...registry, channels } },
  );
  return { user: userEvent.setup(), api };
}

const getButton = (name: string) => screen.getByRole('button', { name });
const getRecipient = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Recipient' });

describe('a test send', () => {
  test('sends the draft with its sample data to an example recipient, in the sandbox', async () => {
    const { user, api } = open({ value: { requestId: 'request-1' } });
    await user.click(screen.getByLabelText('email'));
    await user.click(getButton('Send test'));
    await screen.findByText('request-1');
    expect(api.call.mock.calls[0]).toEqual([
      testRoute,
      {
        appId: 'a',
        eventId: 'event-1',
        body: {
          definition: { channels: { sms: {}, email: {} } },
          channels: ['sms'],
          delivery: 'sandbox',
          user: { mobile: '+12025550123', email: 'ana.ruiz@example.com' },
          data: { id: 7 },
          confirm: false,
        },
      },
    ]);
  });

  test('is not sent without a channel, and the focus goes to the first one', async () => {
    const { user, api } = open();
    await user.click(screen.getByLabelText('sms'));
    await user.click(screen.getByLabelText('email'));
    await user.click(getButton('Dry run'));
    await screen.findByText('Choose at least one channel.');
    expect(document.activeElement).toBe(screen.getByLabelText('sms'));
    expect(api.call).not.toHaveBeenCalled();
    await user.click(screen.getByLabelText('email'));
    expect(screen.queryByText('Choose at least one channel.')).toBeNull();
  });

  test('is not sent with a recipient that is no JSON object', async () => {
    const { user, api } = open();
    await user.clear(getRecipient());
    await user.click(getButton('Send test'));
    await screen.findByText('Recipient must be a JSON object.');
    expect(document.activeElement).toBe(getRecipient());
    expect(api.call).not.toHaveBeenCalled();
  });

  test('names the field of the recipient that the server refused', async () => {
    const fields = [{ path: 'user.mobile', problem: 'must be a string' }];
    const { user } = open({ problem: { code: 'invalid', error: 'Invalid.', fields } });
    await user.click(getButton('Send test'));
    await screen.findByText('Recipient mobile must be a string.');
    expect(getRecipient().getAttribute('aria-invalid')).toBe('true');
  });

  test('to real recipients is confirmed, unless the operator goes back to the sandbox', async () => {
    const warning = { problem: { code: 'needs_confirmation', error: 'This sends messages.' } };
    const { user, api } = open(warning, warning, { value: { requestId: 'request-1' } });
    await user.click(getButton('Live'));
    await user.click(getButton('Send test'));
    await screen.findByText('This sends messages.');
    await user.click(getButton('Sandbox'));
    expect(screen.queryByText('This sends messages.')).toBeNull();
    await user.click(getButton('Live'));
    await user.click(getButton('Send test'));
    await user.click(await screen.findByRole('button', { name: 'Send live' }));
    await screen.findByText('request-1');
    expect(api.call.mock.calls.slice(0, 3)).toMatchObject(
      [false, false, true].map((confirm) => [testRoute, { body: { confirm } }]),
    );
  });
});

test('a dry run shows what would be sent', async () => {
  const { user, api } = open({ value: { delivery: 'sandbox', messages: [] } });
  await user.click(getButton('Dry run'));
  await screen.findByText('Dry run to the sandbox. Nothing was stored or sent.');
  expect(api.call).toHaveBeenCalledWith(dryRunRoute, expect.anything());
});

test('a dry run of a paused integration says that the message would wait, and why', async () => {
  const why = 'The integration mail is paused: the message would wait.';
  const message = {
    ...{ channel: 'email', would: 'wait', reason: null, what: null, remedy: null },
    ...{ target: 'ana@example.com', integration: 'mail', provider: 'smtp', dueAt: null },
    ...{ request: null, warnings: [why] },
  };
  const { user } = open({ value: { delivery: 'live', messages: [message] } });
  await user.click(getButton('Dry run'));
  await screen.findByText('would wait');
  expect(screen.getByText(why)).toBeTruthy();
  expect(screen.queryByText('would be sent')).toBeNull();
});
