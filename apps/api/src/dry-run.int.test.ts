import { channelVersion, eventually, type Tenant } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

let gateway: StoredGateway;

beforeAll(async () => {
  gateway = await createStoredGateway();
});

afterAll(() => gateway.close());

type Fixture = { tenant: Tenant; event: string; integrationIds: string[] };

/** An app with an event on SMS, with two integrations, and on e-mail. */
async function createFixture(delivery: 'sandbox' | 'live' = 'live'): Promise<Fixture> {
  const { factories } = gateway;
  const tenant = await factories.createTenant({ delivery });
  const create = () =>
    factories.createIntegration(tenant, {
      channel: 'sms',
      provider: 'twilio',
      settings: { sender: '+15005550009' },
      credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'secret-auth-token' },
    });
  const integrationIds = [(await create()).id, (await create()).id];
  const { name } = await factories.createEvent(tenant, {
    sms: channelVersion({ text: 'Hi {{name}} {{more}}' }, { integrationIds }),
    email: channelVersion({ subject: 'Hi', text: 'Hi {{name}}' }),
  });
  return { tenant, event: name, integrationIds };
}

function dryRun(
  { tenant, event }: Fixture,
  more: object = {},
  headers: Record<string, string> = {},
) {
  return gateway.call({
    method: 'post',
    path: '/events/send?dry_run=true',
    app: tenant.appId,
    apiKey: tenant.apiKey,
    headers,
    body: { event, user: { mobile: '45 20 12 34 56' }, data: { name: 'Ana' }, ...more },
  });
}

async function countRows({ appId, accountId }: Tenant): Promise<number[]> {
  const { prisma } = gateway.database;
  return [
    await prisma.request.count({ where: { appId } }),
    await prisma.message.count({ where: { appId } }),
    await prisma.idempotencyKey.count({ where: { accountId } }),
  ];
}

describe('POST /v1/apps/:app_id/events/send?dry_run=true', () => {
  test('warns of OneSignal player IDs that are ignored because an external ID wins', async () => {
    const tenant = await gateway.factories.createTenant({ delivery: 'sandbox' });
    const { name: event } = await gateway.factories.createEvent(tenant, {
      onesignal: channelVersion({ title: 'Hi' }),
    });
    const user = {
      onesignal_external_id: 'ana',
      onesignal_player_ids: ['22222222-2222-4222-8222-222222222222'],
    };
    const { body } = await dryRun({ tenant, event, integrationIds: [] }, { user });
    expect(body).toMatchObject({
      messages: [
        {
          target: 'ana',
          warnings: [
            'onesignal_player_ids is ignored: onesignal_external_id reaches every subscription of the person.',
            'This channel of the event has no integration. Live delivery would skip the message.',
          ],
        },
      ],
    });
  });

  test('shows target, integration, request and warnings of each channel, and why others are skipped', async () => {
    const fixture = await createFixture();
    const { status, body, text } = await dryRun(fixture);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      dry_run: true,
      delivery: 'live',
      messages: [
        {
          channel: 'sms',
          would: 'send',
          target: '+4520123456',
          integration: expect.stringMatching(/^twilio_/),
          provider: 'twilio',
          request: {
            operation: expect.stringContaining('POST https://api.twilio.com'),
            body: { To: '+4520123456', From: '+15005550009', Body: 'Hi Ana ' },
          },
          notes: expect.any(Object),
          warnings: [expect.any(String), expect.stringContaining('more')],
        },
        {
          channel: 'email',
          would: 'skip',
          reason: 'no_address',
          detail: expect.any(String),
          warnings: [],
        },
      ],
    });
    expect(text).not.toContain('secret-auth-token');
  });

  test('writes nothing, and an Idempotency-Key has no effect', async () => {
    const fixture = await createFixture();
    const key = { 'Idempotency-Key': 'k1' };
    const first = await dryRun(fixture, {}, key);
    const second = await dryRun(fixture, { data: { name: 'Bo' } }, key);
    const third = await dryRun(fixture, {}, { 'Idempotency-Key': 'not allowed' });
    expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
    expect(second.text).toContain('Hi Bo');
    expect(second.headers['idempotent-replayed']).toBeUndefined();
    expect(await countRows(fixture.tenant)).toEqual([0, 0, 0]);
    const { call } = gateway;
    const { tenant, event } = fixture;
    const sent = await call({
      method: 'post',
      path: '/events/send?dry_run=false',
      app: tenant.appId,
      apiKey: tenant.apiKey,
      headers: key,
      body: { event, user: {} },
    });
    expect(sent.headers['idempotent-replayed']).toBeUndefined();
    await eventually(async () => expect(await countRows(tenant)).toEqual([1, 0, 1]));
  });

  test('names the integration that replaces one in needs_attention, and the one to wait for', async () => {
    const fixture = await createFixture();
    const [first, second] = fixture.integrationIds;
    const set = (id: string | undefined, state: string) =>
      gateway.database.prisma.integration.update({ where: { id: id ?? '' }, data: { state } });
    await set(first, 'needs_attention');
    const name = (await set(second, 'active')).name;
    const [takenOver] = (await dryRun(fixture)).body.messages;
    expect(takenOver).toMatchObject({ would: 'send', integration: name });
    expect(takenOver.warnings).toContainEqual(expect.stringContaining(`${name} would take over`));
    await set(second, 'paused');
    const [waiting] = (await dryRun(fixture)).body.messages;
    expect(waiting.warnings).toContainEqual(expect.stringContaining('would wait'));
    expect([waiting.would, Object.hasOwn(waiting, 'wouldWait')]).toEqual(['send', false]);
  });

  test('names no provider without an integration, with the verdict of a send', async () => {
    const { factories } = gateway;
    const run = async (delivery: 'sandbox' | 'live') => {
      const tenant = await factories.createTenant({ delivery });
      const { name } = await factories.createEvent(tenant, {
        sms: channelVersion({ text: 'Hi {{name}}' }),
      });
      return (await dryRun({ tenant, event: name, integrationIds: [] })).body.messages[0];
    };
    const captured = await run('sandbox');
    expect(captured).toMatchObject({
      would: 'send',
      request: { body: { To: '+4520123456' } },
      warnings: [
        expect.any(String),
        'This channel of the event has no integration. Live delivery would skip the message.',
      ],
    });
    const skipped = await run('live');
    expect(skipped).toMatchObject({ would: 'skip', reason: 'no_integration' });
    for (const message of [captured, skipped]) expect(message).not.toHaveProperty('provider');
  });

  test('names no provider of a removed integration', async () => {
    const run = async (delivery: 'sandbox' | 'live') => {
      const fixture = await createFixture(delivery);
      await gateway.database.prisma.integration.updateMany({
        where: { id: { in: fixture.integrationIds } },
        data: { deletedAt: new Date() },
      });
      return (await dryRun(fixture)).body.messages[0];
    };
    const [failing, captured] = [await run('live'), await run('sandbox')];
    expect(failing).toMatchObject({ would: 'fail', reason: 'integration_removed' });
    expect(captured).toMatchObject({ would: 'send' });
    expect(captured.warnings).toContain(
      'The integration was removed. Live delivery would fail the message.',
    );
    for (const message of [failing, captured]) expect(message).not.toHaveProperty('provider');
  });

  test('names the provider of a channel that needs no integration', async () => {
    const tenant = await gateway.factories.createTenant({ delivery: 'sandbox' });
    const { name } = await gateway.factories.createEvent(tenant, {
      in_app: channelVersion({ title: 'Hi', body: 'Hi' }),
    });
    const fixture = { tenant, event: name, integrationIds: [] };
    const [message] = (await dryRun(fixture, { user: { user_id: 'ana' } })).body.messages;
    expect(message).toMatchObject({ would: 'send', provider: expect.any(String), warnings: [] });
  });

  test('reports a suppressed address and content that cannot be sent', async () => {
    const fixture = await createFixture();
    const { appId } = fixture.tenant;
    await gateway.database.prisma.suppression.create({
      data: {
        id: fixture.integrationIds[0] ?? '',
        appId,
        channel: 'sms',
        recipient: '+4512345602',
        sender: '+15005550009',
        reason: 'opted_out',
      },
    });
    const [suppressed] = (await dryRun(fixture, { user: { mobile: '+4512345602' } })).body.messages;
    expect(suppressed).toMatchObject({ would: 'skip', reason: 'suppressed' });
    const text = 'x'.repeat(1_601);
    const override = { sms: { message: { text } } };
    const [tooLong] = (await dryRun(fixture, { override })).body.messages;
    expect(tooLong).toMatchObject({ would: 'fail', reason: 'too_long' });
    expect(tooLong.request).toBeUndefined();
  });

  test('refuses a message that takes too much work with 422 and stops rendering', async () => {
    const tenant = await gateway.factories.createTenant();
    const text = '{{#each list}}{{#each ../list}}{{this}}{{/each}}{{/each}}';
    const { name } = await gateway.factories.createEvent(tenant, {
      sms: channelVersion({ text }),
    });
    const more = { data: { list: Array(1_000).fill(0) } };
    const { status, body } = await dryRun({ tenant, event: name, integrationIds: [] }, more);
    expect([status, body.code]).toEqual([422, 'too_complex']);
    expect(body.error).toMatch(
      /^sms: text: Rendering the templates with this data exceeds the limit/,
    );
    expect(await countRows(tenant)).toEqual([0, 0, 0]);
  });

  test.each([
    ['/events/send?dry_run=yes', 'must be true or false'],
    ['/events/send?dry_run=', 'must be true or false'],
    ['/events/send?dry_run=true&dry_run=true', 'must appear only once'],
    ['/events/bulk_send?dry_run=true', 'is supported only by events/send'],
  ])('refuses %s and sends nothing', async (path, problem) => {
    const { tenant, event } = await createFixture();
    const batch = [{ user: { mobile: '+4512345601' } }];
    const { status, body } = await gateway.call({
      method: 'post',
      path,
      app: tenant.appId,
      apiKey: tenant.apiKey,
      body: { event, user: {}, batch },
    });
    expect(status).toBe(422);
    expect(body.error).toContain(problem);
    expect(await countRows(tenant)).toEqual([0, 0, 0]);
  });

  test('returns the same error as a send for an unknown event', async () => {
    const { tenant } = await createFixture();
    const fixture = { tenant, event: 'no_such_event', integrationIds: [] };
    expect((await dryRun(fixture)).body.code).toBe('event_not_found');
  });
});
