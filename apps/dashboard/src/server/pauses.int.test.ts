import { claimMessages } from '@belfry/pipeline/deliver';
import { newId } from '@belfry/runtime';
import { channelVersion } from '@belfry/testing';
import {
  createStoredDashboard,
  listOperatorEntries,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let neighbour: Neighbour;
let app: string;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

beforeEach(async () => {
  neighbour = await dashboard.createNeighbour();
  app = `apps/${neighbour.tenant.appId}`;
});

afterAll(() => dashboard.close());

/** Creates a due message on the channel. */
async function createDue(channel: string): Promise<string> {
  const { tenant } = neighbour;
  const { factories, database } = dashboard;
  const event = await factories.createEvent(tenant, { [channel]: channelVersion({ text: 'x' }) });
  const [requestId, messageId] = [newId(), newId()];
  await database.lookUps.query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
     VALUES ($1, $2, $3, $4, $5, 'single', 1, 1)`,
    [requestId, tenant.accountId, tenant.appId, event.eventId, event.versionId],
  );
  await database.lookUps.query(
    `INSERT INTO request_item (request_id, item, recipient, planned_at) VALUES ($1, 0, '{}', now())`,
    [requestId],
  );
  await database.lookUps.query(
    `INSERT INTO message (id, request_id, item, app_id, channel, target, due_at, expires_at)
     VALUES ($1, $2, 0, $3, $4, 'x', now(), now() + interval '1 day')`,
    [messageId, requestId, tenant.appId, channel],
  );
  return messageId;
}

async function claim(messageId: string): Promise<string> {
  const { delivery } = dashboard.database;
  const claims = await claimMessages(delivery, {
    ids: [messageId],
    worker: 'test',
    leaseMs: 20_000,
  });
  const [firstClaim] = claims;
  return firstClaim?.kind === 'settled' ? firstClaim.reason : (firstClaim?.kind ?? 'none');
}

const post = (place: string) => neighbour.call('post', `${app}/${place}`);

describe('pausing all sending of an app', () => {
  test('stops every channel, and resuming sends what waits', async () => {
    const [sms, email] = [await createDue('sms'), await createDue('email')];
    const { body } = await post('pause');
    expect(body).toMatchObject({ sendingPausedAt: expect.any(Number) });
    expect(body.sendingPausedBy).toMatch(/@example\.com$/);
    expect([await claim(sms), await claim(email)]).toEqual(['paused', 'paused']);
    expect((await post('resume')).body.sendingPausedAt).toBeNull();
    expect([await claim(sms), await claim(email)]).toEqual(['claimed', 'claimed']);
  });

  test('keeps channels paused that were paused separately, before or after', async () => {
    const [sms, email, slack] = [
      await createDue('sms'),
      await createDue('email'),
      await createDue('slack'),
    ];
    await post('channels/sms/pause');
    await post('pause');
    await post('channels/email/pause');
    await post('channels/slack/pause');
    await post('channels/slack/resume');
    expect(await claim(slack)).toBe('paused');
    await post('resume');
    expect([await claim(sms), await claim(email), await claim(slack)]).toEqual([
      'paused',
      'paused',
      'claimed',
    ]);
    const { channels } = (await neighbour.call('get', `queues?app=${neighbour.tenant.appId}`)).body;
    const paused = channels.filter(({ isPaused }: { isPaused: boolean }) => isPaused);
    expect(paused.map(({ channel }: { channel: string }) => channel)).toEqual(['sms', 'email']);
  });

  test('is recorded once per change and affects no other app', async () => {
    for (const place of ['pause', 'pause', 'resume', 'resume']) await post(place);
    const entries = await listOperatorEntries(neighbour);
    expect(entries.map(({ action }) => action)).toEqual(['sending.resumed', 'sending.paused']);
    const { body } = await dashboard.call('get', 'apps');
    expect(body.apps[0].sendingPausedAt).toBeNull();
  });
});

test('a dry run of a paused channel says that the message would wait, and why', async () => {
  const { tenant } = neighbour;
  const { eventId } = await dashboard.factories.createEvent(tenant, {
    email: channelVersion({ subject: 'x', text: 'x' }),
  });
  const definition = { channels: { email: { templates: { en: { subject: 'x', text: 'x' } } } } };
  const body = { definition, delivery: 'sandbox', user: { email: 'ana@example.com' } };
  const run = async () =>
    (await neighbour.call('post', `${app}/events/${eventId}/dry-run`, body)).body.messages[0];
  expect((await run()).would).toBe('send');
  await post('channels/email/pause');
  expect(await run()).toMatchObject({
    would: 'wait',
    warnings: expect.arrayContaining(['The channel is paused: the message would wait.']),
  });
});
