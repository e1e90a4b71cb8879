import { newId } from '@belfry/runtime';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

const policy = { attempts: 8, timeToLiveMs: 86_400_000, onUnknown: 'resend', unknownResends: 1 };

function createDefinition(subject: string) {
  return {
    defaultLocale: 'en',
    missing: 'empty',
    isSensitive: false,
    kind: 'optional',
    channels: {
      email: {
        integrationIds: [],
        templates: { en: { subject, html: '<p>Hello {{user_name}}</p>' } },
        policy,
      },
    },
  };
}

async function createEvent(name: string): Promise<string> {
  const { tenant, call } = dashboard;
  const { status, body } = await call('post', `apps/${tenant.appId}/events`, { name });
  expect(status).toBe(200);
  return `apps/${tenant.appId}/events/${body.id}`;
}

describe('an event', () => {
  test('is published from its draft and available to calls at once', async () => {
    const { call, database, tenant } = dashboard;
    const at = await createEvent('order_shipped');
    const saved = await call('put', `${at}/draft`, {
      basedOn: 0,
      definition: createDefinition('Your order {{order.id}}'),
    });
    expect(saved.body).toMatchObject({ revision: 1, isLive: false });
    expect(saved.body.paths).toEqual([
      { path: 'order.id', channels: ['email'] },
      { path: 'user_name', channels: ['email'] },
    ]);
    const published = await call('post', `${at}/publish`, { basedOn: 1, note: 'first' });
    expect(published.body).toMatchObject({ state: 'live', liveNumber: 1, draft: { isLive: true } });
    const { rows } = await database.lookUps.query(
      'SELECT live_version_id FROM event WHERE app_id = $1 AND name = $2',
      [tenant.appId, 'order_shipped'],
    );
    expect(rows[0].live_version_id).toBe(published.body.live.id);
  });

  test('is saved, published and tested from a partial definition with defaults for the rest', async () => {
    const { call, database, tenant } = dashboard;
    const at = await createEvent('in_part');
    const templates = { en: { subject: 'x', html: 'x' } };
    const definition = { channels: { email: { templates, policy: { attempts: 3 } } } };
    const fullDefinition = {
      ...{ defaultLocale: 'en', missing: 'empty', isSensitive: false, kind: 'optional' },
      channels: {
        email: {
          ...{ integrationIds: [], templates },
          policy: { attempts: 3, timeToLiveMs: 86_400_000, onUnknown: 'resend' },
        },
      },
    };
    const saved = await call('put', `${at}/draft`, { basedOn: 0, definition });
    expect(saved.body.definition).toEqual(fullDefinition);
    expect((await call('post', `${at}/publish`, { basedOn: 1 })).status).toBe(200);
    expect((await call('post', `${at}/check`, { definition })).body.problems).toHaveLength(1);
    expect((await call('post', `${at}/variables`, { definition })).status).toBe(200);
    expect((await call('post', `${at}/preview`, { definition })).status).toBe(200);
    const tested = { definition, user: { email: 'a@example.com' }, delivery: 'sandbox' };
    expect((await call('post', `${at}/test`, tested)).status).toBe(200);
    const { rows } = await database.lookUps.query(
      `SELECT v.kind, v.definition FROM event_version v JOIN event e ON e.id = v.event_id
       WHERE e.app_id = $1 AND e.name = 'in_part' ORDER BY v.number`,
      [tenant.appId],
    );
    expect(rows).toEqual([
      { kind: 'live', definition: fullDefinition },
      { kind: 'test', definition: { ...fullDefinition, delivery: 'sandbox' } },
    ]);
  });

  test.each([
    ['channels.email.policy.attempt', { policy: { attempt: 3 } }],
    ['channels.email.policy.attempts', { policy: { attempts: 0 } }],
    ['channels.email.integrations', { integrations: [] }],
  ])('is not saved with an unknown or invalid %s', async (path, email) => {
    const at = await createEvent(`wrong ${path}`);
    const definition = { channels: { email } };
    const { status, body } = await dashboard.call('put', `${at}/draft`, { basedOn: 0, definition });
    expect([status, body.fields]).toEqual([
      422,
      [{ path: `definition.${path}`, problem: expect.any(String) }],
    ]);
  });

  test('uses the channel default for resends after an unknown outcome', async () => {
    const { call } = dashboard;
    const at = await createEvent('own_number');
    const { unknownResends: _, ...byChannel } = policy;
    const definition = createDefinition('Hello');
    const save = (basedOn: number, resends: object) => {
      const email = { ...definition.channels.email, policy: { ...byChannel, ...resends } };
      return call('put', `${at}/draft`, {
        basedOn,
        definition: { ...definition, channels: { email } },
      });
    };
    const saved = await save(0, {});
    expect(saved.body.definition.channels.email.policy).toEqual(byChannel);
    const secondSave = await save(1, { unknownResends: 0 });
    expect(secondSave.body.definition.channels.email.policy.unknownResends).toBe(0);
    expect((await save(2, { unknownResends: 11 })).body.code).toBe('invalid');
  });

  test('is not overwritten by an operator who started from an older draft', async () => {
    const { call, email } = dashboard;
    const at = await createEvent('two_operators');
    await call('put', `${at}/draft`, { basedOn: 0, definition: createDefinition('mine') });
    const late = await call('put', `${at}/draft`, {
      basedOn: 0,
      definition: createDefinition('yours'),
    });
    expect(late.status).toBe(409);
    expect(late.body).toMatchObject({ code: 'draft_changed', savedBy: email });
    const { body } = await call('get', at);
    expect(body.draft.definition.channels.email.templates.en.subject).toBe('mine');
  });

  test.each([
    [
      'a template that does not parse',
      createDefinition('{{#if a}}'),
      { field: 'subject', line: 1 },
    ],
    [
      'no template in the default language',
      { ...createDefinition('x'), defaultLocale: 'de' },
      { locale: 'de' },
    ],
    [
      'a fixed text over the limit of its channel',
      {
        ...createDefinition('x'),
        channels: {
          sms: { integrationIds: [], templates: { en: { text: 'x'.repeat(3_000) } }, policy },
        },
      },
      { channel: 'sms', field: 'text', problem: '3000 characters; the limit is 1600.' },
    ],
    [
      'an element that Slack refuses',
      {
        ...createDefinition('x'),
        channels: {
          slack: {
            integrationIds: [],
            templates: { en: { blocks: '[{"type":"actions","elements":[{"type":"button"}]}]' } },
            policy,
          },
        },
      },
      { field: 'blocks[0].elements[0].text', problem: 'must not be empty.' },
    ],
    ['no channel', { ...createDefinition('x'), channels: {} }, {}],
  ])('is not published with %s', async (what, definition, place) => {
    const { call } = dashboard;
    const at = await createEvent(`refused: ${what}`);
    await call('put', `${at}/draft`, { basedOn: 0, definition });
    const { status, body } = await call('post', `${at}/publish`, { basedOn: 1 });
    expect(status).toBe(422);
    expect(body.code).toBe('not_publishable');
    expect(body.publishProblems).toContainEqual(
      expect.objectContaining({ severity: 'error', ...place }),
    );
  });

  test('renders a preview from generated data with the code that composes messages', async () => {
    const { call } = dashboard;
    const at = await createEvent('previewed');
    const { body } = await call('post', `${at}/preview`, {
      definition: createDefinition('For {{order.id}}'),
    });
    expect(body.data).toEqual({ order: { id: 'A-1001' }, user_name: 'Ana' });
    expect(body.previews).toMatchObject([
      { channel: 'email', state: 'rendered', content: { subject: 'For A-1001' }, missing: [] },
    ]);
  });

  test('is previewed though an integration of its chain was removed, but not with a broken template', async () => {
    const { call } = dashboard;
    const at = await createEvent('half_broken');
    const preview = async (subject: string) => {
      const { channels, ...definition } = createDefinition(subject);
      const email = { ...channels.email, integrationIds: [newId()] };
      const body = { definition: { ...definition, channels: { email } } };
      return (await call('post', `${at}/preview`, body)).body.previews;
    };
    expect(await preview('Hello')).toMatchObject([{ channel: 'email', state: 'rendered' }]);
    expect(await preview('{{#if a}}')).toMatchObject([{ channel: 'email', state: 'refused' }]);
  });

  test('refuses a preview over the work limit and names the template', async () => {
    const { call } = dashboard;
    const at = await createEvent('expensive');
    const { status, body } = await call('post', `${at}/preview`, {
      definition: createDefinition('{{#each list}}{{#each ../list}}{{/each}}{{/each}}'),
      data: { list: Array(1_000).fill(0) },
    });
    expect([status, body.code]).toEqual([422, 'too_complex']);
    expect(body.publishProblems).toEqual([
      {
        severity: 'error',
        channel: 'email',
        locale: 'en',
        problem: expect.stringContaining(
          'subject: Rendering the templates with this data exceeds the limit',
        ),
      },
    ]);
  });

  test('is tested as a separate version through the accept step, and appears in log and timeline', async () => {
    const { call, tenant, database } = dashboard;
    const at = await createEvent('tested');
    const tested = await call('post', `${at}/test`, {
      definition: createDefinition('Test'),
      user: { email: 'ana@example.com' },
      data: { user_name: 'Ana' },
      delivery: 'sandbox',
    });
    expect(tested.status).toBe(200);
    const { requestId } = tested.body;
    const { rows } = await database.lookUps.query(
      'SELECT v.kind, r.kind AS request_kind, r.api_key_id FROM request r JOIN event_version v ON v.id = r.version_id WHERE r.id = $1',
      [requestId],
    );
    expect(rows).toEqual([{ kind: 'test', request_kind: 'test', api_key_id: null }]);
    const log = await call('get', `apps/${tenant.appId}/log?event=tested`);
    expect(log.body.rows).toMatchObject([
      {
        requestId,
        kind: 'test',
        recipient: 'ana@example.com',
        channels: { email: { state: 'queued' } },
      },
    ]);
    const timeline = await call('get', `apps/${tenant.appId}/requests/${requestId}`);
    expect(timeline.body).toMatchObject({
      version: { kind: 'test' },
      call: { user: { email: 'ana@example.com' }, data: { user_name: 'Ana' } },
      channelRows: [
        { kind: 'message', channel: 'email', target: 'ana@example.com', state: 'queued' },
      ],
    });
    const [channelRow] = timeline.body.channelRows;
    const messageAt = `apps/${tenant.appId}/messages/${channelRow.messageId}`;
    expect((await call('post', `${messageAt}/resend`)).body.code).toBe('wrong_state');
    expect((await call('post', `${messageAt}/cancel`)).status).toBe(200);
    const resent = await call('post', `${messageAt}/resend`);
    expect(resent.body).toMatchObject({ requestId, generation: 1 });
    expect((await call('post', `${messageAt}/resend`)).status).toBe(409);
  });

  test('can be previewed and tested with constructor and prototype as data keys', async () => {
    const { call, database } = dashboard;
    const at = await createEvent('keys');
    const definition = createDefinition('{{constructor}} {{a.prototype}}{{a.constructor}}');
    const body = {
      definition,
      user: { email: 'ana@example.com' },
      data: { constructor: 'Ana', a: { prototype: 'x' }, user_name: 'Ana' },
    };
    const preview = await call('post', `${at}/preview`, body);
    expect(preview.body.previews).toMatchObject([{ content: { subject: 'Ana x' } }]);
    const tested = await call('post', `${at}/test`, { ...body, delivery: 'sandbox' });
    const { rows } = await database.lookUps.query(
      'SELECT data FROM request_item WHERE request_id = $1',
      [tested.body.requestId],
    );
    expect(JSON.parse(rows[0].data)).toEqual(body.data);
  });

  test('contains a language once, whatever its spelling', async () => {
    const { call } = dashboard;
    const at = await createEvent('languages');
    const { channels, ...settings } = createDefinition('Hi');
    const [text] = Object.values(channels.email.templates);
    const withTags = (...tags: string[]) => ({
      ...settings,
      defaultLocale: 'en_us',
      channels: {
        email: {
          ...channels.email,
          templates: Object.fromEntries(tags.map((tag) => [tag, text])),
        },
      },
    });
    const saved = await call('put', `${at}/draft`, {
      basedOn: 0,
      definition: withTags('en-US', 'pt_BR'),
    });
    expect(saved.body.problems).toMatchObject([{ severity: 'warning' }]);
    const body = { basedOn: saved.body.revision, definition: withTags('en-US', 'pt_BR', 'pt-br') };
    const response = await call('put', `${at}/draft`, body);
    expect(response).toMatchObject({
      status: 422,
      body: {
        code: 'invalid',
        error: 'pt-br and pt_BR are the same language. Remove one of them.',
        fields: [{ path: 'definition.channels.email.templates.pt-br' }],
      },
    });
    const tested = { ...body, user: {}, data: {}, delivery: 'sandbox' };
    expect((await call('post', `${at}/test`, tested)).body.code).toBe('not_publishable');
    const now = await call('get', at);
    expect(now.body.draft.definition).toEqual(withTags('en-US', 'pt_BR'));
  });

  test('is not tested, and stores no version, while its account is over its storage limit', async () => {
    const { call, tenant, database } = dashboard;
    const { account, eventVersion } = database.prisma;
    const at = await createEvent('too_much');
    const where = { appId: tenant.appId };
    const before = await eventVersion.count({ where });
    const setFull = (isStorageFull: boolean) =>
      account.update({ where: { id: tenant.accountId }, data: { isStorageFull } });
    await setFull(true);
    const { status, body } = await call('post', `${at}/test`, {
      definition: createDefinition('Test'),
      user: { email: 'ana@example.com' },
      data: { user_name: 'Ana' },
      delivery: 'sandbox',
    });
    await setFull(false);
    expect([status, body.code]).toEqual([409, 'wrong_state']);
    expect(body.error).toContain('storage limit');
    expect(await eventVersion.count({ where })).toBe(before);
  });

  test('is deleted after its name is typed, and its versions are kept', async () => {
    const { call } = dashboard;
    const at = await createEvent('goes');
    expect((await call('delete', at, { confirmName: 'other' })).status).toBe(409);
    expect((await call('delete', at, { confirmName: 'goes' })).status).toBe(200);
    expect((await call('get', at)).status).toBe(404);
  });
});
