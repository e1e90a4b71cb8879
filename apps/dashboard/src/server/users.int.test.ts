import { newId } from '@belfry/runtime';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

jest.setTimeout(30_000);

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

const at = (place: string) => `apps/${dashboard.tenant.appId}/${place}`;

async function createUser(contact: object) {
  const { database, tenant } = dashboard;
  const [sid, userId] = [newId(), `u-${newId()}`];
  const { appId } = tenant;
  await database.prisma.user.create({ data: { id: sid, appId, userId, contact } });
  return { sid, userId };
}

async function readAudit(): Promise<{ action: string; subject: string; change: unknown }[]> {
  return (await dashboard.call('get', 'audit')).body.entries;
}

describe('the record of a user', () => {
  test('shows the address of each channel, or why there is none, and no token', async () => {
    const { sid, userId } = await createUser({
      email: 'ana@EXAMPLE.com',
      mobile: 'not a number',
      slack: { access_token: 'v1.sealed', channel_id: 'C0555010142' },
      preferences: { locale: 'es', channel_preferences: { sms: { disabled: true } } },
    });
    const { body } = await dashboard.call('get', at(`users/${sid}`));
    expect(body).toMatchObject({
      userId,
      contact: { slack: { access_token: '***' } },
      preferences: { locale: 'es', switches: [{ channel: 'sms', category: null, isOff: true }] },
    });
    expect(JSON.stringify(body)).not.toContain('v1.sealed');
    const addresses = Object.fromEntries(
      body.addresses.map((one: { channel: string }) => [one.channel, one]),
    );
    expect(addresses).toMatchObject({
      email: { address: 'ana@example.com' },
      sms: { address: null, note: expect.stringContaining('not a number') },
      slack: { address: 'C0555010142' },
      in_app: { address: userId },
    });
  });

  test('shows what would stop a message to an address', async () => {
    const { sid } = await createUser({ email: 'gone@example.com', mobile: '+4930123999' });
    const body = { channel: 'email', address: 'gone@example.com', detail: 'Asked us to' };
    expect((await dashboard.call('post', at('suppressions'), body)).status).toBe(200);
    await dashboard.database.prisma.channelPause.create({
      data: { appId: dashboard.tenant.appId, channel: 'sms' },
    });
    const { addresses } = (await dashboard.call('get', at(`users/${sid}`))).body;
    expect(addresses).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          channel: 'email',
          obstacle: {
            reason: 'suppressed',
            what: expect.stringMatching(
              `^The address is suppressed for every sender: added by ${dashboard.email} at .* UTC: Asked us to[.]$`,
            ),
            remedy: expect.stringContaining('remove the suppression'),
          },
        }),
        expect.objectContaining({
          channel: 'sms',
          obstacle: expect.objectContaining({ reason: 'paused', what: 'The channel is paused.' }),
        }),
        expect.objectContaining({ channel: 'slack', address: null, obstacle: null }),
      ]),
    );
    await dashboard.database.prisma.channelPause.deleteMany({
      where: { appId: dashboard.tenant.appId },
    });
  });

  test('shows a web push subscription as such, with its endpoint masked, and can suppress its address', async () => {
    const { sid } = await createUser({});
    const endpoint = `https://push.example.net/send/${newId()}`;
    const keys = { p256dh: 'secret-p256dh', auth: 'secret-auth' };
    const device = { appId: dashboard.tenant.appId, userSid: sid, fcmToken: endpoint };
    await dashboard.database.prisma.device.create({
      data: { ...device, id: newId(), pushSubscription: keys },
    });
    const { body } = await dashboard.call('get', at(`users/${sid}`));
    const token = 'https://push.example.net/***';
    expect(body.devices).toMatchObject([
      { isWebPush: true, token: expect.stringContaining(token) },
    ]);
    expect(JSON.stringify(body)).not.toContain('secret-');
    const input = { channel: 'push', address: endpoint, detail: 'asked' };
    const suppressed = await dashboard.call('post', at('suppressions'), input);
    expect([suppressed.status, suppressed.body.address]).toEqual([200, endpoint]);
    const { addresses } = (await dashboard.call('get', at(`users/${sid}`))).body;
    expect(addresses).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...{ channel: 'push', address: endpoint },
          obstacle: expect.objectContaining({ reason: 'suppressed' }),
        }),
      ]),
    );
  });

  test('shows the provider error that disabled a device', async () => {
    const { sid } = await createUser({});
    const device = { appId: dashboard.tenant.appId, userSid: sid, fcmToken: newId() };
    await dashboard.database.prisma.device.create({
      data: { ...device, id: newId(), notificationsDisabled: true, disabledReason: 'UNREGISTERED' },
    });
    const { body } = await dashboard.call('get', at(`users/${sid}`));
    expect(body.devices).toMatchObject([{ isDisabled: true, disabledReason: 'UNREGISTERED' }]);
  });

  test.each(['%00', 'x'.repeat(5_000)])(
    'is not searched by text that no user can have',
    async (text) => {
      const { status } = await dashboard.call('get', at(`users?text=a${text}`));
      expect(status).toBe(400);
    },
  );
});

describe('a suppression', () => {
  test.each(['fax', 'constructor', '__proto__'])(
    'is refused for the channel %s',
    async (channel) => {
      const input = { channel, address: 'a@example.com', detail: 'asked' };
      const { status, body } = await dashboard.call('post', at('suppressions'), input);
      expect([status, body.fields]).toEqual([
        422,
        [{ path: 'channel', problem: 'is not a known channel' }],
      ]);
    },
  );

  test('applies to the normalized address and records operator and reason', async () => {
    const input = { channel: 'sms', address: '+1 (202) 555-0164', detail: ' asked by phone ' };
    const { status, body } = await dashboard.call('post', at('suppressions'), input);
    expect([status, body]).toMatchObject([
      200,
      {
        address: '+12025550164',
        reason: 'manual',
        detail: 'asked by phone',
        addedBy: dashboard.email,
        sender: null,
      },
    ]);
    const again = await dashboard.call('post', at('suppressions'), input);
    expect([again.status, again.body.fields[0].path]).toEqual([409, 'address']);
    const { sid } = await createUser({ mobile: '+1 202 555 0164' });
    const user = await dashboard.call('get', at(`users/${sid}`));
    const channels = user.body.suppressions.map((row: { channel: string }) => row.channel);
    expect(channels).toEqual(['sms']);
    const listed = await dashboard.call('get', at('suppressions?text=%2B1202555016'));
    expect(listed.body.suppressions).toHaveLength(1);
    expect((await dashboard.call('delete', at(`suppressions/${body.id}`))).status).toBe(200);
    expect((await dashboard.call('delete', at(`suppressions/${body.id}`))).status).toBe(404);
    const entries = await readAudit();
    expect(entries.slice(0, 2).map(({ action }) => action)).toEqual([
      'suppression.removed',
      'suppression.added',
    ]);
    expect(JSON.stringify(entries)).not.toContain('5550164');
  });

  test('of a phone number is the same in every spelling that the app accepts', async () => {
    const { database, tenant } = dashboard;
    const appPath = `apps/${tenant.appId}`;
    const changed = await dashboard.call('patch', appPath, { defaultRegion: 'DE' });
    expect(changed.body).toMatchObject({ defaultRegion: 'DE', name: 'Test app' });
    const input = { channel: 'sms', address: '030 123456', detail: 'asked' };
    const added = await dashboard.call('post', at('suppressions'), input);
    expect(added.body).toMatchObject({ address: '+4930123456' });
    for (const mobile of ['030 123456', '+49 (0)30 123456', '0049 30 123456', '4930123456']) {
      const { sid } = await createUser({ mobile });
      const { body } = await dashboard.call('get', at(`users/${sid}`));
      expect(body.suppressions).toMatchObject([{ channel: 'sms', address: '+4930123456' }]);
      await dashboard.call('delete', at(`users/${sid}`), { confirmUserId: body.userId });
      const erasure = await database.prisma.erasure.findFirst({ where: { userSid: sid } });
      expect(erasure?.addresses).toContain('+4930123456');
    }
    const response = await dashboard.call('patch', appPath, { defaultRegion: 'XX' });
    expect(response).toMatchObject({
      status: 422,
      body: { fields: [{ path: 'defaultRegion', problem: expect.stringContaining('US or DE') }] },
    });
    const none = await dashboard.call('patch', appPath, { defaultRegion: null });
    expect(none.body.defaultRegion).toBeNull();
    const national = await dashboard.call('post', at('suppressions'), input);
    expect(national.body.fields).toMatchObject([
      { path: 'address', problem: expect.stringContaining('country code missing') },
    ]);
  });

  test.each([
    [{ channel: 'sms', address: '12', detail: 'x' }, 'address'],
    [{ channel: 'email', address: 'nobody', detail: 'x' }, 'address'],
    [{ channel: 'slack', address: '#general', detail: 'x' }, 'address'],
    [{ channel: 'pigeon', address: 'x', detail: 'x' }, 'channel'],
    [{ channel: 'email', address: 'a@example.com', detail: ' ' }, 'detail'],
  ])('is refused if %j has no address, channel or reason', async (body, path) => {
    const answer = await dashboard.call('post', at('suppressions'), body);
    expect([answer.status, answer.body.fields[0].path]).toEqual([422, path]);
  });

  test('list is paged, each entry once', async () => {
    const { call, tenant } = await dashboard.createNeighbour();
    await dashboard.database.lookUps.query(
      `INSERT INTO suppression (id, app_id, channel, recipient, reason)
       SELECT gen_random_uuid(), $1, c, 'a' || (n % 40) || '@example.com', 'bounced'
       FROM generate_series(1, 40) n, unnest(ARRAY['email', 'slack', 'in_app']) c`,
      [tenant.appId],
    );
    const seenIds: string[] = [];
    for (let after = '', pages = 0; pages < 5; pages += 1) {
      const place = `apps/${tenant.appId}/suppressions?text=a&after=${after}`;
      const { body } = await call('get', place);
      seenIds.push(...body.suppressions.map(({ id }: { id: string }) => id));
      if (body.next === null) break;
      after = body.next;
    }
    expect([seenIds.length, new Set(seenIds).size]).toEqual([120, 120]);
  });
});

describe('erasing a user', () => {
  test('requires the id, is recorded without it, and keeps suppressions', async () => {
    const email = `${newId()}@example.com`;
    const { sid, userId } = await createUser({ email });
    await dashboard.call('post', at('suppressions'), {
      channel: 'email',
      address: email,
      detail: 'x',
    });
    const refusal = await dashboard.call('delete', at(`users/${sid}`), {
      confirmUserId: 'another',
    });
    expect([refusal.status, refusal.body.code]).toEqual([409, 'needs_confirmation']);
    const erased = await dashboard.call('delete', at(`users/${sid}`), { confirmUserId: userId });
    expect(erased.body).toMatchObject({ userSid: sid, messages: 0, erasedBy: dashboard.email });
    expect((await dashboard.call('get', at(`users/${sid}`))).status).toBe(404);
    const again = await dashboard.call('delete', at(`users/${sid}`), { confirmUserId: userId });
    expect(again.status).toBe(404);
    const [entry] = await readAudit();
    expect(entry).toMatchObject({ action: 'user.erased', subject: sid, change: null });
    const { body } = await dashboard.call('get', at('erasures'));
    expect(body.erasures[0]).toMatchObject({ userSid: sid, finishedAt: null });
    const suppressionList = await dashboard.call('get', at(`suppressions?text=${email}`));
    expect(suppressionList.body.suppressions).toHaveLength(1);
  });
});
