import { createTelegramSimulator, type TelegramSimulator } from '@belfry/testing';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

const botToken = `123456789:${'s'.repeat(35)}`;

let dashboard: StoredDashboard;
let telegram: TelegramSimulator;

beforeAll(async () => {
  telegram = await createTelegramSimulator();
  dashboard = await createStoredDashboard({
    ...{ TELEGRAM_API_URL: telegram.url, ALLOWED_PRIVATE_HOSTS: '127.0.0.1' },
    PUBLIC_URL: 'https://belfry.example/',
  });
});

afterAll(async () => {
  await dashboard.close();
  await telegram.close();
});

describe('the webhook of a Telegram bot', () => {
  test('is registered by a connection test once the integration is saved with the setting', async () => {
    const at = `apps/${dashboard.tenant.appId}/integrations`;
    const settings = { sender: '@simulated_bot' };
    const form = { channel: 'telegram', provider: 'telegram', settings };
    const credentials = { bot_token: botToken };
    const created = await dashboard.call('post', at, { ...form, name: 'bot', credentials });
    expect(created.body).toMatchObject({ receiptUrl: null });
    const { id, updatedAt } = created.body;
    const test = (path: string, body?: object) => dashboard.call('post', `${at}/${path}`, body);

    expect((await test(`${id}/test`)).body.isWorking).toBe(true);
    expect(telegram.getWebhook(botToken).url).toBe('');

    const on = { ...settings, receives_replies: true };
    const unsaved = await test('test', { ...form, id, settings: on, credentials: {} });
    expect(unsaved.body).toMatchObject({
      isWorking: false,
      detail: expect.stringMatching(/Save the integration and test it again\.$/),
    });
    expect(telegram.getWebhook(botToken).url).toBe('');

    const saved = await dashboard.call('put', `${at}/${id}`, { updatedAt, settings: on });
    expect(saved.status).toBe(200);
    expect((await test(`${id}/test`)).body).toMatchObject({
      isWorking: true,
      detail: expect.stringMatching(/Belfry receives \/stop and \/start\.$/),
    });
    expect(telegram.getWebhook(botToken).url).toMatch(
      new RegExp(`^https://belfry\\.example/v1/receipts/${id}/[\\w-]{43}$`),
    );
  });
});
