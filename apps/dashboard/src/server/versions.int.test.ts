import { newId } from '@belfry/runtime';
import {
  createStoredDashboard,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

const policy = { attempts: 8, timeToLiveMs: 86_400_000, onUnknown: 'resend' };

function createDefinition(subject: string, options: object = {}) {
  return {
    defaultLocale: 'en',
    missing: 'empty',
    isSensitive: false,
    channels: {
      email: {
        integrationIds: [],
        templates: { en: { subject, html: '<p>Hello {{user_name}}</p>' } },
        policy,
      },
    },
    ...options,
  };
}

type At = { at: string; who: Pick<Neighbour, 'tenant' | 'call'> };

/** An event with one version per subject; the last one is live. */
async function publishAll(subjects: string[]): Promise<At & { versions: { id: string }[] }> {
  const who = await dashboard.createNeighbour();
  const { body } = await who.call('post', `apps/${who.tenant.appId}/events`, { name: 'shipped' });
  const at = `apps/${who.tenant.appId}/events/${body.id}`;
  for (const [index, subject] of subjects.entries()) {
    await who.call('put', `${at}/draft`, { basedOn: index, definition: createDefinition(subject) });
    const note = `says ${subject}`;
    const published = await who.call('post', `${at}/publish`, { basedOn: index + 1, note });
    expect(published.status).toBe(200);
  }
  const list = await who.call('get', `${at}/versions`);
  return { at, who, versions: list.body.versions.toReversed() };
}

async function listActions({ call }: Pick<Neighbour, 'call'>) {
  const { body } = await call('get', 'audit');
  return body.entries.map(({ action, change }: { action: string; change: unknown }) => [
    action,
    change,
  ]);
}

describe('a rollback', () => {
  test('publishes the content of an older version as a new one and changes no other version', async () => {
    const { at, who, versions } = await publishAll(['one', 'two']);
    const [first, second] = versions;
    const rolled = await who.call('post', `${at}/versions/${first!.id}/roll-back`, {
      basedOnLive: second!.id,
      note: ' two was wrong ',
    });
    expect(rolled.body).toMatchObject({
      state: 'live',
      liveNumber: 3,
      live: {
        number: 3,
        rolledBackTo: 1,
        note: 'two was wrong',
        definition: createDefinition('one'),
      },
    });
    const list = await who.call('get', `${at}/versions`);
    expect(list.body.versions).toMatchObject([
      { number: 3, isLive: true, rolledBackTo: 1, kind: 'live' },
      { number: 2, isLive: false, rolledBackTo: null, note: 'says two' },
      { number: 1, isLive: false, rolledBackTo: null, note: 'says one' },
    ]);
    const read = await who.call('get', `${at}/versions/${second!.id}`);
    expect(read.body).toMatchObject({ definition: createDefinition('two'), previousId: first!.id });
    expect((await listActions(who))[0]).toEqual([
      'event.rolled_back',
      { version: rolled.body.live.id, number: 3, rolledBackTo: 1 },
    ]);
  });

  test('also reverts the draft, so that the next publish does not undo it', async () => {
    const { at, who, versions } = await publishAll(['one', 'two']);
    const rolled = await who.call('post', `${at}/versions/${versions[0]!.id}/roll-back`, {
      basedOnLive: versions[1]!.id,
    });
    expect(rolled.body.draft).toMatchObject({
      definition: createDefinition('one'),
      revision: 3,
      isLive: true,
    });
  });

  test('keeps a draft that differs from the live version', async () => {
    const { at, who, versions } = await publishAll(['one', 'two']);
    await who.call('put', `${at}/draft`, { basedOn: 2, definition: createDefinition('three') });
    const rolled = await who.call('post', `${at}/versions/${versions[0]!.id}/roll-back`, {
      basedOnLive: versions[1]!.id,
    });
    expect(rolled.body).toMatchObject({
      state: 'changed',
      draft: { definition: createDefinition('three'), revision: 3 },
    });
  });

  test('of two concurrent operators succeeds for one; the other gets the conflict and changes nothing', async () => {
    const { at, who, versions } = await publishAll(['one', 'two', 'three']);
    const [first, second, third] = versions;
    const rollBack = (to: { id: string } | undefined) =>
      who.call('post', `${at}/versions/${to!.id}/roll-back`, { basedOnLive: third!.id });
    const answers = await Promise.all([rollBack(first), rollBack(second)]);
    const [refusal] = answers.filter(({ status }) => status !== 200);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(refusal!.body).toMatchObject({ code: 'live_changed', savedBy: expect.any(String) });
    expect(refusal!.body.error).toMatch(/published v4 after you opened this page/);
    const list = await who.call('get', `${at}/versions`);
    expect(list.body.versions).toHaveLength(4);
  });

  test('is refused if another version went live first', async () => {
    const { at, who, versions } = await publishAll(['one', 'two']);
    const [first, second] = versions;
    await who.call('put', `${at}/draft`, { basedOn: 2, definition: createDefinition('three') });
    await who.call('post', `${at}/versions/${first!.id}/roll-back`, { basedOnLive: second!.id });
    const late = { basedOn: 3, basedOnLive: second!.id };
    const published = await who.call('post', `${at}/publish`, late);
    expect([published.status, published.body.code]).toEqual([409, 'live_changed']);
    const live = (await who.call('get', at)).body.live.id;
    const again = await who.call('post', `${at}/publish`, { basedOn: 3, basedOnLive: live });
    expect(again.body.liveNumber).toBe(4);
  });

  test('is refused for the live version, a test, and a version that cannot be published', async () => {
    const { at, who, versions } = await publishAll(['one', 'two']);
    const [first, second] = versions;
    const rollBack = (id: string, body: object = { basedOnLive: second!.id }) =>
      who.call('post', `${at}/versions/${id}/roll-back`, body);
    expect((await rollBack(second!.id)).body.code).toBe('wrong_state');
    expect((await rollBack(newId())).status).toBe(404);
    expect((await rollBack(first!.id, {})).body.code).toBe('invalid');
    const long = await rollBack(first!.id, { basedOnLive: second!.id, note: 'x'.repeat(501) });
    expect(long.body.fields).toEqual([
      { path: 'note', problem: 'must have at most 500 characters' },
    ]);
    const tested = await who.call('post', `${at}/test`, {
      definition: createDefinition('test'),
      user: { email: 'ana@example.com' },
      data: {},
      delivery: 'sandbox',
    });
    const appAt = at.split('/events/')[0];
    const timeline = await who.call('get', `${appAt}/requests/${tested.body.requestId}`);
    const { version } = timeline.body;
    expect((await who.call('get', `${at}/versions/${version.id}`)).body.kind).toBe('test');
    expect((await rollBack(version.id)).status).toBe(404);
    await who.call('patch', appAt!, { delivery: 'live', confirmName: 'Test app' });
    const refusal = await rollBack(first!.id);
    expect([refusal.status, refusal.body.code]).toEqual([422, 'not_publishable']);
    expect(refusal.body.publishProblems[0].problem).toMatch(/^Choose an integration/);
    expect((await who.call('get', at)).body.live.id).toBe(second!.id);
  });

  test('of a sandbox test restores its content as a draft that can still go live', async () => {
    const { at, who } = await publishAll(['one']);
    const definition = createDefinition('tested');
    const body = { definition, user: { email: 'ana@example.com' }, data: {}, delivery: 'sandbox' };
    const { requestId } = (await who.call('post', `${at}/test`, body)).body;
    const timeline = await who.call('get', `${at.split('/events/')[0]}/requests/${requestId}`);
    const versionAt = `${at}/versions/${timeline.body.version.id}`;
    const { draft } = (await who.call('get', at)).body;
    const restored = await who.call('post', `${versionAt}/restore`, { basedOn: draft.revision });
    expect([restored.status, restored.body.draft?.definition]).toEqual([
      200,
      expect.not.objectContaining({ delivery: expect.anything() }),
    ]);
  });

  test('is refused for a viewer, who may read versions', async () => {
    const { at, who, versions } = await publishAll(['one', 'two']);
    const { lookUps } = dashboard.database;
    const toViewer = `UPDATE operator SET role = 'viewer' WHERE account_id = $1`;
    await lookUps.query(toViewer, [who.tenant.accountId]);
    const rolled = await who.call('post', `${at}/versions/${versions[0]!.id}/roll-back`, {
      basedOnLive: versions[1]!.id,
    });
    expect(rolled.body.code).toBe('not_allowed');
    expect((await who.call('get', `${at}/versions/${versions[0]!.id}`)).status).toBe(200);
    const variablesBody = { definition: createDefinition('x') };
    expect((await who.call('post', `${at}/variables`, variablesBody)).status).toBe(200);
  });
});

describe('the variables that a version reads', () => {
  type Brought = { data?: string | null; kind?: string; items?: number; versionId?: string };

  /** A request as stored by the gateway, with the data of its first item; the others have none of it. */
  async function store(
    { at, who, versions }: At & { versions: { id: string }[] },
    brought: Brought,
  ) {
    const { data = null, kind = 'single', items = 1, versionId = versions.at(-1)!.id } = brought;
    const id = newId();
    const { accountId, appId } = who.tenant;
    await dashboard.database.lookUps.query(
      `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
      [id, accountId, appId, at.split('/').at(-1), versionId, kind, items],
    );
    await dashboard.database.lookUps.query(
      `INSERT INTO request_item (request_id, item, data, planned_at)
       SELECT $1, item, CASE WHEN item = 0 THEN $2 ELSE '{}' END, now() FROM generate_series(0, $3 - 1) item`,
      [id, data, items],
    );
    return id;
  }

  const variables = ({ at, who }: At, definition: object) =>
    who.call('post', `${at}/variables`, { definition });

  test('are listed with the number of requests that did not send them, most often missing first', async () => {
    const event = await publishAll(['one']);
    await store(event, { data: '{"user_name":"Ana","order":{"id":1}}' });
    await store(event, { data: '{"user_name":null}' });
    await store(event, { data: '{"order":{"id":2}}', kind: 'bulk', items: 3 });
    await store(event, {});
    await store(event, { data: '{"user_name":"a test is no call"}', kind: 'test' });
    const answer = await variables(event, createDefinition('{{order.id}} {{order.eta}}'));
    expect(answer.body).toEqual({
      compared: 4,
      maxCompared: 50,
      unreadable: 0,
      isSensitive: false,
      missing: [
        { path: 'order.eta', channels: ['email'], missingIn: 4 },
        { path: 'order.id', channels: ['email'], missingIn: 2 },
        { path: 'user_name', channels: ['email'], missingIn: 2 },
      ],
    });
  });

  test('are compared with at most the newest 50 requests', async () => {
    const event = await publishAll(['one']);
    for (let count = 0; count < 5; count += 1) await store(event, { data: '{"user_name":"old"}' });
    for (let count = 0; count < 50; count += 1) await store(event, { data: '{"other":1}' });
    const { body } = await variables(event, createDefinition('Hello'));
    expect(body).toMatchObject({
      compared: 50,
      missing: [{ path: 'user_name', missingIn: 50 }],
    });
  });

  test('are not compared with sealed, deleted or too large data, which is counted', async () => {
    const event = await publishAll(['one']);
    const { at, who } = event;
    const sensitive = createDefinition('one', { isSensitive: true });
    await who.call('put', `${at}/draft`, { basedOn: 1, definition: sensitive });
    const { body } = await who.call('post', `${at}/publish`, { basedOn: 2 });
    const { rows } = await dashboard.database.lookUps.query<{ id: string }>(
      'SELECT id FROM event_version WHERE event_id = $1 ORDER BY number LIMIT 1',
      [at.split('/').at(-1)],
    );
    const plain = rows[0]!.id;
    await store(event, { data: '"v1.test.sealed"', versionId: body.live.id });
    await store(event, { data: null, versionId: body.live.id });
    await store(event, { data: `{"user_name":"${'x'.repeat(70_000)}"}`, versionId: plain });
    const erased = await store(event, { data: null, versionId: plain });
    await dashboard.database.lookUps.query(
      `INSERT INTO message (id, request_id, item, app_id, channel, target, state, expires_at)
       VALUES ($1, $2, 0, $3, 'email', $4, 'sent', now())`,
      [newId(), erased, who.tenant.appId, `erased:${newId()}`],
    );
    const live = (await variables(event, createDefinition('one'))).body;
    expect(live).toMatchObject({ isSensitive: true, compared: 0, unreadable: 0, missing: [] });
    await who.call('put', `${at}/draft`, { basedOn: 2, definition: createDefinition('one') });
    await who.call('post', `${at}/publish`, { basedOn: 3 });
    const after = (await variables(event, createDefinition('one'))).body;
    expect(after).toMatchObject({ isSensitive: false, compared: 0, unreadable: 4, missing: [] });
    const result = (await variables(event, sensitive)).body;
    expect(result).toMatchObject({ isSensitive: true, unreadable: 0 });
  });
});
