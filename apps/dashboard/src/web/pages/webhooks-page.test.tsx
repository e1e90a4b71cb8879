import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type {
  WebhookDeliveryAnswer,
  WebhookEndpointAnswer,
  WebhookListAnswer,
} from '../../api/webhooks';
import { createTestApi, renderPart } from '../render-part.fixture';
import { WebhooksPage } from './webhooks-page';

afterEach(cleanup);

const types: WebhookListAnswer['types'] = [
  { name: 'message.sent', means: 'The provider accepted the message.' },
  { name: 'message.failed', means: 'The message could not be delivered.' },
];

const endpoint: WebhookEndpointAnswer = {
  id: 'e1',
  url: 'https://shop.example/hooks',
  types: ['message.sent', 'message.failed'],
  description: 'Orders',
  state: 'active',
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
  lastError: null,
  previousSecretEndsAt: null,
  waiting: 0,
  failed: 2,
  createdAt: 1,
  updatedAt: 1,
};

const failed: WebhookDeliveryAnswer = {
  id: 'd1',
  type: 'message.failed',
  outcome: 'failed',
  occurredAt: 1,
  nextAt: null,
  tries: [{ at: 2, ms: 31, status: 500, answer: 'out of order', error: 'HTTP status 500.' }],
  body: { type: 'message.failed', data: { user_id: 'customer-1', request_id: 'r1' } },
};

const list = (endpoints: WebhookEndpointAnswer[]) => ({ endpoints, maxEndpoints: 10, types });
const endpointRoute = '/api/apps/:appId/webhooks/:endpointId';

function open(
  openId: string | undefined,
  endpoints: WebhookEndpointAnswer[] = [endpoint],
  { mayChange = true, path = '/', delivery = failed } = {},
) {
  const api = createTestApi({
    'GET /api/apps/:appId/webhooks': list(endpoints),
    [`GET ${endpointRoute}/deliveries`]: { deliveries: [delivery], next: null },
    'POST /api/apps/:appId/webhooks': { endpoint, secret: 'whsec_new' },
    [`POST ${endpointRoute}/rotate`]: { endpoint, secret: 'whsec_rotated' },
    [`PATCH ${endpointRoute}`]: endpoint,
    [`POST ${endpointRoute}/deliveries/:deliveryId/resend`]: { ...failed, outcome: 'waiting' },
    [`POST ${endpointRoute}/resend-failed`]: { resent: 2 },
    [`POST ${endpointRoute}/example`]: failed,
  });
  renderPart(<WebhooksPage openId={openId} />, api, { mayChange, path });
  return api;
}

const place = { appId: 'a', endpointId: 'e1' };
const user = userEvent.setup();
const button = (name: string | RegExp) => screen.findByRole('button', { name });

/** The page has another button of this name, which opens the form. */
async function submit(): Promise<void> {
  const buttons = await screen.findAllByRole('button', { name: 'Create endpoint' });
  await user.click(buttons.at(-1)!);
}

test('a new endpoint gets every event type at first, and only the chosen ones', async () => {
  const api = open('new', []);
  await user.type(await screen.findByLabelText('URL'), 'https://shop.example/hooks');
  const boxes = screen.getAllByRole<HTMLInputElement>('checkbox');
  expect(boxes.map(({ checked }) => checked)).toEqual([true, true]);
  await user.click(screen.getByRole('checkbox', { name: /message\.sent/ }));
  await submit();
  const body = { url: 'https://shop.example/hooks', types: ['message.failed'], description: '' };
  const route = 'POST /api/apps/:appId/webhooks';
  await waitFor(() => expect(api.call).toHaveBeenCalledWith(route, { appId: 'a', body }));
});

test('an endpoint without event types or URL is not sent', async () => {
  const api = open('new', []);
  await user.click(await button('Clear all'));
  await submit();
  expect(await screen.findByText('Enter a URL.')).toBeTruthy();
  expect(screen.getByText('Choose at least one event type.')).toBeTruthy();
  expect(api.call.mock.calls.filter(([route]) => route.startsWith('POST'))).toEqual([]);
});

test.each(['Close', 'Deliveries'])(
  '%s asks before changes to an endpoint are lost',
  async (name) => {
    open('e1', [endpoint], { path: '/?tab=settings' });
    const description = await screen.findByLabelText('Description');
    await user.type(description, ' of the shop');
    const role = name === 'Close' ? 'button' : 'tab';
    await user.click(screen.getByRole(role, { name }));
    expect(await screen.findByText('Not saved: Description.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Keep editing' }));
    expect(description).toHaveProperty('value', 'Orders of the shop');
  },
);

test('a rotated secret is shown once, until it is hidden', async () => {
  open('e1');
  await user.click(await button('Rotate secret'));
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: 'Rotate secret' }));
  expect(await screen.findByText('whsec_rotated')).toBeTruthy();
  await user.click(await button('Hide'));
  expect(screen.queryByText('whsec_rotated')).toBeNull();
});

test('a delivery shows its request and the answer to each try, and can be resent', async () => {
  const api = open('e1');
  await user.click(await button(/^message\.failed/));
  expect(screen.getByText('webhook-id: d1')).toBeTruthy();
  expect(screen.getByText(/customer-1/)).toBeTruthy();
  expect(screen.getByText('out of order')).toBeTruthy();
  expect(screen.getByText('Not delivered after 1 try.')).toBeTruthy();
  const link = screen.getByRole('link', { name: 'Show in log' });
  expect(link.getAttribute('href')).toBe('/apps/a/log/r1');
  await user.click(await button('Resend'));
  const route = `POST ${endpointRoute}/deliveries/:deliveryId/resend`;
  expect(api.call).toHaveBeenCalledWith(route, { ...place, deliveryId: 'd1' });
});

test('deliveries are filtered by outcome', async () => {
  const api = open('e1');
  await user.click(await button('Failed'));
  const query = { outcome: 'failed' };
  await waitFor(() =>
    expect(api.call).toHaveBeenCalledWith(
      `GET ${endpointRoute}/deliveries`,
      { ...place, query },
      expect.anything(),
    ),
  );
});

test('the failed deliveries of a period are resent together', async () => {
  const api = open('e1');
  await user.click(await button('Resend failed'));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('2 deliveries have failed in the last 7 days');
  await user.selectOptions(within(dialog).getByLabelText('Events of'), 'the last hour');
  await user.click(within(dialog).getByRole('button', { name: 'Resend failed' }));
  const call = await waitFor(() => {
    const calls = api.call.mock.calls.filter(([route]) => route.endsWith('/resend-failed'));
    expect(calls).toHaveLength(1);
    return calls[0]!;
  });
  const { since } = (call[1] as { body: { since: number } }).body;
  expect(Math.abs(Date.now() - 3_600_000 - since)).toBeLessThan(60_000);
});

const reason = 'It answered with HTTP status 410.';
const disabled: WebhookEndpointAnswer = {
  ...endpoint,
  ...{ state: 'disabled', disabledAt: 1, disabledReason: reason, lastError: 'HTTP status 410.' },
};
const waiting: WebhookDeliveryAnswer = { ...failed, outcome: 'waiting', nextAt: 2, tries: [] };

test('a waiting delivery of a disabled endpoint says that it waits for that, and nothing is sent there', async () => {
  open('e1', [disabled], { delivery: waiting });
  await user.click(await button(/^message\.failed/));
  expect(screen.getByText('0 tries. It waits until the endpoint is enabled.')).toBeTruthy();
  for (const name of ['Send now', 'Send example', 'Resend failed']) {
    const one = screen.getByRole<HTMLButtonElement>('button', { name });
    expect([name, one.disabled, one.title]).toEqual([name, true, 'Enable the endpoint first.']);
  }
});

test('a due delivery of a failing endpoint says why no try follows', async () => {
  open('e1', [{ ...endpoint, state: 'failing' }], { delivery: waiting });
  await user.click(await button(/^message\.failed/));
  expect(screen.getByText(/^0 tries\. It is due\. After 5 failures in a row/)).toBeTruthy();
});

test('failed deliveries are resent only if there are some', async () => {
  open('e1', [{ ...endpoint, failed: 0 }]);
  expect((await button('Resend failed')).title).toBe('No delivery failed in the last 7 days.');
});

test('a disabled endpoint shows the reason once, and can be enabled', async () => {
  const api = open('e1', [disabled]);
  expect((await screen.findAllByText(new RegExp(reason))).length).toBeGreaterThan(0);
  expect(screen.queryByText(/410\..*410/)).toBeNull();
  await user.click(await button('Enable'));
  const body = { isEnabled: true };
  expect(api.call).toHaveBeenCalledWith(`PATCH ${endpointRoute}`, { ...place, body });
});

test('who removes an endpoint sees how many deliveries will not be sent, also past the end of the count', async () => {
  open('e1', [{ ...endpoint, waiting: 1_000 }]);
  await user.click(await button('Remove'));
  expect(screen.getByText(/1,000\+ waiting deliveries will not be sent\.$/)).toBeTruthy();
});

test('a viewer sees endpoints and deliveries, and no button that changes them', async () => {
  open('e1', [endpoint], { mayChange: false });
  await button(/^message\.failed/);
  const names = ['Create endpoint', 'Enable', 'Disable', 'Rotate secret', 'Remove', 'Send example'];
  for (const name of [...names, 'Resend failed']) {
    expect(screen.queryByRole('button', { name })).toBeNull();
  }
});
