import { judgeWebhooks } from './examine-webhooks';

const endpoint = {
  ...{ appName: 'Shop', host: 'shop.example', disabledReason: null },
  ...{ failingSince: new Date('2026-01-01T00:00:00Z'), lastError: 'HTTP status 500.' },
};

test('doctor warns of each webhook endpoint that fails or was disabled, with the reason', () => {
  expect(judgeWebhooks([endpoint, { ...endpoint, disabledReason: 'gone' }])).toEqual([
    {
      name: 'webhooks',
      state: 'warning',
      detail:
        'shop.example of the app "Shop" fails since 2026-01-01T00:00:00.000Z. HTTP status 500.',
    },
    {
      name: 'webhooks',
      state: 'warning',
      detail:
        'shop.example of the app "Shop" is disabled. It answered with HTTP status 410. HTTP status 500.',
    },
  ]);
  expect(judgeWebhooks([])).toMatchObject([{ state: 'ok' }]);
});
