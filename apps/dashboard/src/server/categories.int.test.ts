import { defaultPolicy } from '@belfry/shared';
import {
  createStoredDashboard,
  listOperatorEntries,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

async function begin() {
  const who = await dashboard.createNeighbour();
  const app = `apps/${who.tenant.appId}`;
  return { ...who, app, at: `${app}/categories` };
}

const texts = { en: { name: 'News', description: 'What is new' } };
const channels = {
  email: { templates: { en: { subject: 'x', html: '<p>x</p>' } }, policy: defaultPolicy },
};

type Call = Awaited<ReturnType<typeof begin>>['call'];

/** Saves a draft and publishes it. */
async function publish(call: Call, event: string, revision: number, definition: object) {
  const body = { basedOn: revision, definition: { channels, ...definition } };
  expect((await call('put', `${event}/draft`, body)).status).toBe(200);
  return call('post', `${event}/publish`, { basedOn: revision + 1 });
}

async function createEvent(call: Call, app: string): Promise<string> {
  const { body } = await call('post', `${app}/events`, { name: 'newsletter' });
  return `${app}/events/${body.id}`;
}

test('a save does not overwrite what another operator saved meanwhile', async () => {
  const { at, call } = await begin();
  const [{ updatedAt }] = (await call('post', at, { slug: 'news', texts })).body.categories;
  const both = { ...texts, de: { name: 'Neues', description: '' } };
  const saved = await call('patch', `${at}/news`, { texts: both, updatedAt });
  const late = await call('patch', `${at}/news`, { texts, updatedAt });
  expect([late.status, late.body.code]).toEqual([409, 'draft_changed']);
  expect((await call('get', at)).body).toEqual(saved.body);
});

test('categories can be created, changed and deleted, each with an audit entry', async () => {
  const { at, call } = await begin();
  const created = await call('post', at, { slug: 'news', texts });
  expect(created.body).toMatchObject({ max: 50, categories: [{ slug: 'news', texts }] });
  await call('post', at, { slug: 'sports', texts });
  const moved = await call('patch', `${at}/news`, { position: 9 });
  expect(moved.body.categories).toMatchObject([{ slug: 'sports' }, { slug: 'news', texts }]);
  const de = { de: { name: 'Neues', description: '' } };
  const renamed = await call('patch', `${at}/news`, { texts: de });
  expect(renamed.body.categories[1]).toMatchObject({ slug: 'news', texts: de, position: 9 });
  expect((await call('delete', `${at}/news`)).body.categories).toMatchObject([{ slug: 'sports' }]);
  expect((await call('delete', `${at}/news`)).status).toBe(404);
  expect((await call('patch', `${at}/NEWS%2F`, { position: 1 })).status).toBe(404);
  const entries = await listOperatorEntries({ call });
  expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
    ['category.removed', 'news'],
    ['category.changed', 'news'],
    ['category.changed', 'news'],
    ['category.created', 'sports'],
    ['category.created', 'news'],
  ]);
});

test('wrong categories are refused with the field', async () => {
  const { at, call } = await begin();
  await call('post', at, { slug: 'news', texts });
  const taken = await call('post', at, { slug: 'news', texts });
  expect([taken.status, taken.body.code]).toEqual([409, 'name_taken']);
  for (const [body, path] of [
    [{ slug: 'News!', texts }, 'slug'],
    [{ slug: 'b', texts: {} }, 'texts'],
    [{ slug: 'b', texts: { 'not a tag': texts.en } }, 'texts'],
    [{ slug: 'b', texts: { en: { name: ' ', description: '' } } }, 'texts.en.name'],
  ] as const) {
    const answer = await call('post', at, body);
    expect([answer.status, answer.body.fields[0].path]).toEqual([
      422,
      expect.stringContaining(path),
    ]);
  }
  expect((await call('get', at)).body.categories).toHaveLength(1);
});

test('publishing refuses a category that does not exist, and names it', async () => {
  const { app, at, call } = await begin();
  const other = await begin();
  await other.call('post', other.at, { slug: 'news', texts });
  const event = await createEvent(call, app);
  const refused = await publish(call, event, 0, { category: 'news' });
  expect([refused.status, refused.body.code]).toEqual([422, 'not_publishable']);
  const problem = expect.stringContaining('no category “news”');
  expect(refused.body.publishProblems[0]).toEqual({
    ...{ severity: 'error', field: 'category', problem },
  });
  await call('post', at, { slug: 'news', texts });
  const published = await publish(call, event, 1, { category: 'news' });
  expect(published.body.live.definition).toMatchObject({ category: 'news', kind: 'optional' });
});

test('a category is not deleted while a live version or a draft has it', async () => {
  const { app, at, call } = await begin();
  await call('post', at, { slug: 'news', texts });
  const event = await createEvent(call, app);
  await publish(call, event, 0, { category: 'news' });
  await publish(call, event, 1, {});
  await call('put', `${event}/draft`, { basedOn: 2, definition: { channels, category: 'news' } });
  const refused = await call('delete', `${at}/news`);
  expect([refused.status, refused.body.code]).toEqual([409, 'wrong_state']);
  expect(refused.body.error).toContain('“news”, live or in their draft: newsletter.');
  await call('put', `${event}/draft`, { basedOn: 3, definition: { channels } });
  expect((await call('delete', `${at}/news`)).status).toBe(200);
});

test('a new version is optional, or mandatory if the event is sensitive, and a rollback repeats a version without a kind', async () => {
  const { app, call } = await begin();
  const event = await createEvent(call, app);
  const first = await publish(call, event, 0, {});
  expect(first.body.live.definition.kind).toBe('optional');
  const second = await publish(call, event, 1, { isSensitive: true });
  expect(second.body.live.definition.kind).toBe('mandatory');
  const firstId = first.body.live.id;
  const text = `UPDATE event_version SET definition = definition - 'kind' WHERE id = $1`;
  await dashboard.database.delivery.query(text, [firstId]);
  const body = { basedOnLive: second.body.live.id };
  const rolled = await call('post', `${event}/versions/${firstId}/roll-back`, body);
  expect(rolled.body.live.definition).not.toHaveProperty('kind');
});

test('publishing a draft that was saved before there were kinds gives it one', async () => {
  const { app, call } = await begin();
  const event = await createEvent(call, app);
  await call('put', `${event}/draft`, { basedOn: 0, definition: { channels } });
  const id = event.split('/').at(-1);
  await dashboard.database.delivery.query(`UPDATE event SET draft = draft - 'kind' WHERE id = $1`, [
    id,
  ]);
  const published = await call('post', `${event}/publish`, { basedOn: 1 });
  expect(published.body).toMatchObject({
    ...{ state: 'live', draft: { isLive: true }, live: { definition: { kind: 'optional' } } },
  });
});
