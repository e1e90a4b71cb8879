import { defaultPolicy, type VersionDefinition } from '@belfry/shared';
import {
  createStoredDashboard,
  type SignedIn,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let me: SignedIn;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});
beforeEach(async () => {
  me = await dashboard.signedIn();
});
afterAll(() => dashboard.close());

function call(method: 'get' | 'post' | 'put' | 'delete', path: string, body?: object) {
  const at = { method, path: `/api/apps/${me.appId}${path}`, cookie: me.cookie };
  return dashboard.call(body ? { ...at, body } : at);
}

function definition(channels: VersionDefinition['channels']): VersionDefinition {
  return { defaultLocale: 'en', missing: 'empty', isSensitive: false, channels };
}

function slack(text: string, integrationIds: string[] = []) {
  return { slack: { integrationIds, templates: { en: { text } }, policy: defaultPolicy } };
}

async function create(name = 'order_shipped') {
  return (await call('post', '/events', { name })).body as { id: string; revision: string };
}

async function save(event: { id: string; revision: string }, draft: VersionDefinition) {
  const { revision } = event;
  const saved = await call('put', `/events/${event.id}/draft`, { revision, definition: draft });
  expect(saved.status).toBe(200);
  return { id: event.id, ...saved.body };
}

const publish = ({ id, revision }: { id: string; revision: string }) =>
  call('post', `/events/${id}/publish`, { revision });

describe('an event', () => {
  test('begins as a draft, and is live with what was published', async () => {
    const event = await create();
    const draft = definition(slack('Order {{id}} is on its way'));
    const saved = await save(event, draft);
    expect((await call('get', '/events')).body.events).toMatchObject([
      { name: 'order_shipped', state: 'draft', channels: ['slack'], liveNumber: null },
    ]);
    const published = await publish(saved);
    expect(published.body).toMatchObject({ number: 1, warnings: [{ level: 'warning' }] });
    const read = (await call('get', `/events/${event.id}`)).body;
    expect(read).toMatchObject({ state: 'live', definition: draft, liveNumber: 1 });
    const row = await dashboard.database.prisma.eventVersion.findUniqueOrThrow({
      where: { id: published.body.versionId },
    });
    expect(row).toMatchObject({ definition: draft, createdBy: me.operatorId, kind: 'live' });
  });

  test('stays live as it was while it is edited, until the next version', async () => {
    const first = await save(await create(), definition(slack('one')));
    const { body: one } = await publish(first);
    const second = await save({ id: first.id, revision: one.revision }, definition(slack('two')));
    expect((await call('get', `/events/${first.id}`)).body.state).toBe('live_with_changes');
    const live = await dashboard.database.prisma.event.findUniqueOrThrow({
      where: { id: first.id },
    });
    expect(live.liveVersionId).toBe(one.versionId);
    expect((await publish(second)).body.number).toBe(2);
    const old = await dashboard.database.prisma.eventVersion.findUniqueOrThrow({
      where: { id: one.versionId },
    });
    expect(old.definition).toEqual(definition(slack('one')));
  });

  test('is not overwritten by who read it before another one saved it', async () => {
    const event = await create();
    const drafts = ['mine', 'yours'].map((text) => definition(slack(text)));
    const answers = await Promise.all(
      drafts.map((draft) =>
        call('put', `/events/${event.id}/draft`, {
          revision: event.revision,
          definition: draft,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const lost = answers.find(({ status }) => status === 409);
    const won = answers.find(({ status }) => status === 200);
    expect(lost?.body).toMatchObject({
      code: 'draft_conflict',
      details: { savedBy: me.email, revision: won?.body.revision },
    });
    expect((await publish(event)).body.code).toBe('draft_conflict');
  });

  test('has nothing to publish twice', async () => {
    const saved = await save(await create(), definition(slack('x')));
    const { body } = await publish(saved);
    const again = await publish({ id: saved.id, revision: body.revision });
    expect(again.body.code).toBe('nothing_to_publish');
  });

  test('has a name of its own, which is free again when it is deleted', async () => {
    const event = await create('twice');
    expect((await call('post', '/events', { name: 'twice' })).body.code).toBe('name_taken');
    expect((await call('delete', `/events/${event.id}`)).status).toBe(200);
    expect((await call('get', `/events/${event.id}`)).body.code).toBe('event_not_found');
    expect((await create('twice')).id).toEqual(expect.any(String));
  });
});

describe('publishing', () => {
  const templates = (en: Record<string, unknown>) => ({
    slack: { integrationIds: [], templates: { en }, policy: defaultPolicy },
  });

  test.each<[string, VersionDefinition['channels'], object]>([
    ['no channel', {}, { message: 'the event has no channel' }],
    [
      'a template that does not parse',
      slack('one\n{{#if x}}'),
      {
        channel: 'slack',
        locale: 'en',
        field: 'text',
        line: expect.any(Number),
        column: expect.any(Number),
      },
    ],
    ['a template of the wrong shape', templates({ text: 7 }), { channel: 'slack', field: 'text' }],
    [
      'no template in the default language',
      { slack: { integrationIds: [], templates: { de: { text: 'x' } }, policy: defaultPolicy } },
      { channel: 'slack', locale: 'en' },
    ],
    ['an integration that is not there', slack('x', ['gone']), { channel: 'slack' }],
    [
      'an unknown channel',
      { pigeon: { integrationIds: [], templates: { en: {} }, policy: defaultPolicy } },
      { channel: 'pigeon' },
    ],
  ])('refuses %s, which a draft may have', async (_, channels, problem) => {
    const saved = await save(await create(), definition(channels));
    expect(saved.problems).toContainEqual(expect.objectContaining({ level: 'error', ...problem }));
    const refused = await publish(saved);
    expect([refused.status, refused.body.code]).toEqual([422, 'publish_refused']);
    expect(refused.body.details.problems).toEqual(saved.problems);
    expect((await call('get', `/events/${saved.id}`)).body.liveNumber).toBeNull();
  });

  test('refuses a channel without integration where the app is live', async () => {
    me = await dashboard.signedIn({ delivery: 'live' });
    const saved = await save(await create(), definition(slack('x')));
    expect((await publish(saved)).body.code).toBe('publish_refused');
    const integration = await dashboard.factories.createIntegration(me, {
      channel: 'slack',
      provider: 'slack',
    });
    const chained = await save(saved, definition(slack('x', [integration.id])));
    expect((await publish(chained)).body).toMatchObject({ number: 1, warnings: [] });
  });

  test('refuses another app’s integration', async () => {
    const other = await dashboard.signedIn();
    const theirs = await dashboard.factories.createIntegration(other, {
      channel: 'slack',
      provider: 'slack',
    });
    const saved = await save(await create(), definition(slack('x', [theirs.id])));
    expect((await publish(saved)).body.code).toBe('publish_refused');
  });
});

describe('a draft', () => {
  test.each<[string, object]>([
    ['is no definition', {}],
    ['names a language that is none', { ...definition({}), defaultLocale: 'e n' }],
    ['has a field of its own', { ...definition({}), extra: 1 }],
  ])('is not saved when it %s', async (_, wrong) => {
    const { id, revision } = await create();
    const answer = await call('put', `/events/${id}/draft`, { revision, definition: wrong });
    expect(answer.status).toBe(422);
    expect((await call('get', `/events/${id}`)).body.revision).toBe(revision);
  });
});

describe('a preview', () => {
  const preview = (body: object) => call('post', '/preview', body);

  test('is composed with data made of what the template reads', async () => {
    const text =
      '{{#each order.items}}{{quantity}} x {{name}}, {{/each}}{{order.id}} {{tracking_url}}';
    const answer = await preview({ channel: 'slack', template: { text } });
    expect(answer.body).toMatchObject({
      content: { text: '3 x name, 3 x name, id https://example.com/' },
      missing: [],
      data: { order: { id: 'id', items: [{ quantity: 3, name: 'name' }, {}] } },
    });
  });

  test('takes data of its own, and says what it lacks', async () => {
    const body = {
      channel: 'slack',
      template: { text: 'Hi {{who}}{{not_there}}' },
      data: { who: 'Ana' },
    };
    expect((await preview(body)).body).toMatchObject({
      content: { text: 'Hi Ana' },
      missing: ['not_there'],
    });
    expect((await preview({ ...body, missing: 'reject' })).body).toMatchObject({
      failed: 'missing_data',
    });
  });

  test('of a template that does not parse has the place of the error', async () => {
    const answer = await preview({ channel: 'slack', template: { text: 'a\nb {{> x}}' } });
    expect(answer.body.problems).toMatchObject([{ field: 'text', line: 2, column: 3 }]);
  });

  test('of a channel that is none is refused', async () => {
    expect((await preview({ channel: 'pigeon', template: {} })).status).toBe(422);
  });
});
