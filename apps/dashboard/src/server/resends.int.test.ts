import { selectTerms } from '@belfry/database';
import { carryOutResend } from '@belfry/pipeline/relay';
import { newId } from '@belfry/runtime';
import { maxMetadataTextCharacters } from '@belfry/shared';
import { channelVersion, eventually, type Tenant } from '@belfry/testing';
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

type Event = { eventId: string; versionId: string };
type InsertOptions = {
  state?: string;
  channel?: string;
  target?: string;
  user?: object;
  provider?: string;
  key?: string;
  metadata?: Record<string, string>;
  erased?: boolean;
};

/** A separate account per test, because an app can have only one run at a time. */
async function open() {
  const neighbour = await dashboard.createNeighbour();
  const { tenant } = neighbour;
  const event = await createEvent(tenant);
  return {
    ...neighbour,
    tenant,
    event,
    insert: (options: InsertOptions = {}, targetEvent: Event = event) =>
      insert(tenant, targetEvent, options),
    at: (place: string) => `apps/${tenant.appId}/resends${place}`,
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

function createEvent(tenant: Tenant, options: { isSensitive?: boolean; name?: string } = {}) {
  const channels = {
    email: channelVersion({ subject: 'x', html: 'x' }),
    slack: channelVersion({ text: 'x' }),
  };
  return dashboard.factories.createEvent(tenant, channels, options);
}

/** A request with one message, as written by a worker. */
async function insert(tenant: Tenant, event: Event, options: InsertOptions): Promise<Inserted> {
  const {
    state = 'failed',
    channel = 'email',
    target = 'ana@example.com',
    user,
    provider,
  } = options;
  const pool = dashboard.database.lookUps;
  const [requestId, messageId] = [newId(), newId()];
  await pool.query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, idempotency_key)
     VALUES ($1, $2, $3, $4, $5, 'single', 1, 1, $6)`,
    [requestId, tenant.accountId, tenant.appId, event.eventId, event.versionId, options.key],
  );
  await pool.query(
    `INSERT INTO request_item (request_id, item, recipient, data, planned_at, metadata) VALUES ($1, 0, $2, '{}', now(), $3)`,
    [requestId, JSON.stringify(user ?? { email: target }), JSON.stringify(options.metadata)],
  );
  await pool.query(
    `INSERT INTO request_term SELECT $2, s.term, i.request_id
     FROM request_item i CROSS JOIN LATERAL (${selectTerms('i')}) s WHERE i.request_id = $1`,
    [requestId, tenant.appId],
  );
  await pool.query(
    `INSERT INTO message (id, request_id, item, app_id, channel, target, state, attempts, expires_at, notes)
     VALUES ($1, $2, 0, $3, $4, $5, $6, 1, now() + interval '1 day', '{"missing": ["a"], "address": "kept"}')`,
    [
      messageId,
      requestId,
      tenant.appId,
      channel,
      options.erased ? `erased:${messageId}` : target,
      state,
    ],
  );
  if (provider) {
    await pool.query(
      `INSERT INTO attempt (message_id, number, provider, outcome) VALUES ($1, 1, $2, 'rejected')`,
      [messageId, provider],
    );
  }
  return { requestId, messageId };
}

type Inserted = { requestId: string; messageId: string };

async function count({ call, at }: Opened, query: string) {
  const { status, body } = await call('get', at(`/count?${query}`));
  expect(status).toBe(200);
  return body;
}

/** Counts and confirms exactly that number. */
async function start(opened: Opened, query: string, perSecond = 200): Promise<string> {
  const { filters, messages } = await count(opened, query);
  const body = { filters, confirmed: messages, perSecond };
  const { status, body: run } = await opened.call('post', opened.at(''), body);
  expect([status, run.state, run.matched]).toEqual([200, 'running', messages]);
  return run.id;
}

/** Runs a chunk of the fanout role without its waits. */
const carryOutChunk = () => carryOutResend(dashboard.database.delivery);

const lockWaiters = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Runs a chunk of this run, and `within` after the chunk has resent its messages and before it commits. */
async function carryOutAround(resendId: string, within: () => Promise<unknown>): Promise<void> {
  const { lookUps } = dashboard.database;
  await lookUps.query(`UPDATE resend SET next_at = now() - interval '1 day' WHERE id = $1`, [
    resendId,
  ]);
  const holder = await lookUps.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM resend_message WHERE resend_id = $1 FOR UPDATE', [resendId]);
  const chunk = carryOutChunk();
  const settled = Promise.allSettled([chunk]);
  try {
    await eventually(async () => expect((await lookUps.query(lockWaiters)).rows).toHaveLength(1));
    await within();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
    await settled;
  }
  await chunk;
}

const maxSteps = 200;

/** Until the run is finished or `chunks` chunks are done. */
async function carryOut(resendId: string, chunks = maxSteps): Promise<void> {
  const { lookUps } = dashboard.database;
  let done = 0;
  for (let steps = 0; steps < maxSteps && done < chunks; steps += 1) {
    const { rowCount } = await lookUps.query(
      `UPDATE resend SET next_at = now() - interval '1 s' WHERE id = $1 AND finished_at IS NULL`,
      [resendId],
    );
    if (rowCount === 0) return;
    // Runs of other tests may also be due.
    if ((await carryOutChunk())?.resendId === resendId) done += 1;
  }
}

async function listGenerations(requestId: string) {
  const { rows } = await dashboard.database.lookUps.query<{
    id: string;
    generation: number;
    state: string;
    resend_of: string | null;
    is_bulk: boolean;
    notes: object;
    unknown_count: number;
    integration_id: string | null;
  }>('SELECT * FROM message WHERE request_id = $1 ORDER BY generation', [requestId]);
  return rows;
}

describe('counting a resend by filter', () => {
  test('returns channels, states, possible duplicates, and skipped messages with reasons', async () => {
    const opened = await open();
    await opened.insert();
    await opened.insert({ channel: 'slack', target: 'C1', state: 'unknown' });
    await opened.insert({ state: 'delivered' });
    await opened.insert({ state: 'queued' });
    await opened.insert({ erased: true });
    await opened.insert({}, await createEvent(opened.tenant, { isSensitive: true }));
    expect(await count(opened, 'to=99999999999999')).toMatchObject({
      messages: 3,
      isOver: false,
      max: 10_000,
      mayDuplicate: 2,
      channels: [
        { name: 'email', messages: 2 },
        { name: 'slack', messages: 1 },
      ],
      states: expect.arrayContaining([
        { name: 'failed', messages: 1, warning: null },
        { name: 'delivered', messages: 1, warning: expect.stringContaining('twice') },
        { name: 'unknown', messages: 1, warning: expect.stringContaining('twice') },
      ]),
      leftOut: expect.arrayContaining([
        {
          reason: 'not_ended',
          messages: 1,
          means: 'Still waiting, or being sent. Wait until that ends, or cancel.',
        },
        expect.objectContaining({ reason: 'erased', messages: 1 }),
        expect.objectContaining({ reason: 'sensitive', messages: 1 }),
      ]),
    });
    const { rows } = await dashboard.database.lookUps.query(
      'SELECT 1 FROM resend WHERE app_id = $1',
      [opened.tenant.appId],
    );
    expect(rows).toEqual([]);
  });

  test('finds only messages of the items with the metadata, and masks its value in the run', async () => {
    const opened = await open();
    const { requestId } = await opened.insert({ metadata: { order: '8' } });
    const pool = dashboard.database.lookUps;
    await pool.query(
      `INSERT INTO request_item (request_id, item, planned_at, metadata) VALUES ($1, 1, now(), '{"order":"9"}')`,
      [requestId],
    );
    await pool.query(
      `INSERT INTO message (id, request_id, item, app_id, channel, target, state, expires_at)
       SELECT gen_random_uuid(), request_id, 1, app_id, channel, target, state, expires_at FROM message WHERE request_id = $1`,
      [requestId],
    );
    const run = await start(opened, 'metadata=order:8&state=failed');
    const { body } = await opened.call('get', opened.at(`/${run}`));
    expect(body).toMatchObject({ matched: 1, filters: { metadata: 'order:***' } });
  });

  test('finds exactly the messages of the requests that the log shows, by each filter', async () => {
    const opened = await open();
    const event = await createEvent(opened.tenant, { name: 'filtered' });
    const expected = await opened.insert(
      {
        ...{ channel: 'slack', target: 'C7', provider: 'slack', key: 'k7' },
        ...{ user: { user_id: 'u7' }, metadata: { order: '7' } },
      },
      event,
    );
    await opened.insert({ state: 'sent' });
    const filters = [
      'event=filtered',
      'channel=slack',
      'state=failed',
      'provider=slack',
      'recipient=C7',
      'recipient=u7',
      `requestId=${expected.requestId}`,
      'idempotencyKey=k7',
      'metadata=order:7',
      'event=filtered&channel=slack&state=failed&provider=slack&recipient=u7',
    ];
    for (const filter of filters) {
      const { body: log } = await opened.call('get', `apps/${opened.tenant.appId}/log?${filter}`);
      const requestIds = log.rows.map(({ requestId }: { requestId: string }) => requestId);
      expect([filter, requestIds]).toEqual([filter, [expected.requestId]]);
      expect([filter, (await count(opened, filter)).messages]).toEqual([filter, 1]);
    }
    expect((await count(opened, 'event=none')).messages).toBe(0);
    expect((await count(opened, 'channel=slack&state=sent')).messages).toBe(0);
  });

  test('of failures without a reason takes exactly these, as the log shows them', async () => {
    const opened = await open();
    const { requestId } = await opened.insert();
    const expired = await opened.insert();
    await opened.insert({ state: 'sent' });
    await dashboard.database.lookUps.query(`UPDATE message SET reason = 'expired' WHERE id = $1`, [
      expired.messageId,
    ]);
    for (const filter of ['reason=no_reason', 'channel=email&state=failed&reason=no_reason']) {
      const { body: log } = await opened.call('get', `apps/${opened.tenant.appId}/log?${filter}`);
      expect(log.rows).toMatchObject([{ requestId }]);
      expect((await count(opened, filter)).messages).toBe(1);
    }
    await carryOut(await start(opened, 'reason=no_reason'));
    expect(await listGenerations(requestId)).toHaveLength(2);
    expect(await listGenerations(expired.requestId)).toHaveLength(1);
  });

  test('takes only the matching messages of a bulk request', async () => {
    const opened = await open();
    const { requestId } = await opened.insert({ target: 'one@example.com' });
    await dashboard.database.lookUps.query(
      `INSERT INTO message (id, request_id, item, app_id, channel, target, state, expires_at)
       VALUES ($1, $2, 0, $3, 'email', 'two@example.com', 'failed', now())`,
      [newId(), requestId, opened.tenant.appId],
    );
    expect((await count(opened, 'state=failed')).messages).toBe(2);
    expect((await count(opened, 'recipient=two@example.com')).messages).toBe(1);
  });

  test('is refused without a filter', async () => {
    const { call, at } = await open();
    const { status, body } = await call('get', at('/count'));
    expect([status, body.error]).toEqual([409, expect.stringContaining('Choose a filter first')]);
  });
});

describe('a resend by filter', () => {
  test('with an unknown filter is refused, because it would match more messages', async () => {
    const { call, at } = await open();
    const body = { filters: { recipent: 'a@example.com' }, confirmed: 1, perSecond: 50 };
    const { status, body: answer } = await call('post', at(''), body);
    expect([status, answer.fields?.[0]?.path]).toEqual([422, 'filters.recipent']);
  });

  // Nothing matches the longest one.
  test.each([
    [0, 422],
    [1, 200],
    [maxMetadataTextCharacters, 409],
    [maxMetadataTextCharacters + 1, 422],
  ])('with a filter of %i characters gets a %i', async (length, expected) => {
    const opened = await open();
    await opened.insert({}, await createEvent(opened.tenant, { name: 'e' }));
    const body = { filters: { event: 'e'.repeat(length) }, confirmed: 1, perSecond: 50 };
    const { status, body: answer } = await opened.call('post', opened.at(''), body);
    const path = expected === 422 ? 'filters.event' : undefined;
    expect([status, answer.fields?.[0]?.path]).toEqual([expected, path]);
  });

  test('resends each confirmed message once, marks it, and is recorded in the audit', async () => {
    const opened = await open();
    const failed = await opened.insert();
    const unknown = await opened.insert({ state: 'unknown' });
    const sent = await opened.insert({ state: 'sent' });
    const filters = `state=failed`;
    const first = await start(opened, filters);
    await carryOut(first);
    const second = await start(opened, 'state=unknown');
    await carryOut(second);
    const [old, resent, ...more] = await listGenerations(failed.requestId);
    expect(more).toEqual([]);
    expect(old).toMatchObject({ state: 'failed', generation: 0 });
    expect(resent).toMatchObject({
      state: 'queued',
      generation: 1,
      resend_of: failed.messageId,
      is_bulk: true,
      notes: { address: 'kept', resend_run: first },
      unknown_count: 0,
    });
    expect(await listGenerations(unknown.requestId)).toMatchObject([{}, { unknown_count: 1 }]);
    expect(await listGenerations(sent.requestId)).toHaveLength(1);
    const { body: run } = await opened.call('get', opened.at(`/${first}`));
    expect(run).toMatchObject({ state: 'finished', matched: 1, resent: 1, skipped: 0, left: 0 });
    expect(run.messages).toMatchObject([
      { messageId: failed.messageId, stateThen: 'failed', outcome: 'resent', newState: 'queued' },
    ]);
    const path = `apps/${opened.tenant.appId}/requests/${failed.requestId}`;
    const { channelRows } = (await opened.call('get', path)).body;
    expect(channelRows[1]).toMatchObject({ resendOf: failed.messageId, resendRun: first });
    const { entries } = (await opened.call('get', 'audit')).body;
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'resend.started',
        subject: first,
        change: expect.objectContaining({ messages: 1, perSecond: 200 }),
      }),
    );
  });

  test('resends only what was confirmed, without newer, changed, removed or unroutable messages', async () => {
    const opened = await open();
    const { tenant, event } = opened;
    const pool = dashboard.database.lookUps;
    const integration = await dashboard.factories.createIntegration(tenant, {
      channel: 'slack',
      provider: 'slack',
    });
    await pool.query(`UPDATE app SET delivery = 'live' WHERE id = $1`, [tenant.appId]);
    const removed = await dashboard.factories.createEvent(tenant, {
      slack: channelVersion({ text: 'x' }, { integrationIds: [integration.id] }),
    });
    const unchanged = await insert(tenant, event, {});
    const changed = await insert(tenant, event, {});
    const erased = await insert(tenant, event, {});
    const goneMessage = await insert(tenant, event, {});
    await insert(tenant, removed, { channel: 'slack', target: 'C1' });
    const id = await start(opened, 'state=failed');
    await insert(tenant, event, {});
    await pool.query(`UPDATE message SET state = 'delivered' WHERE id = $1`, [changed.messageId]);
    await pool.query(`UPDATE message SET target = 'erased:' || id WHERE id = $1`, [
      erased.messageId,
    ]);
    await pool.query('DELETE FROM message WHERE id = $1', [goneMessage.messageId]);
    await pool.query('UPDATE integration SET deleted_at = now() WHERE id = $1', [integration.id]);
    await carryOut(id);
    const { body: run } = await opened.call('get', opened.at(`/${id}`));
    expect(run).toMatchObject({ state: 'finished', matched: 5, resent: 1, skipped: 4, left: 0 });
    expect(run.skips).toEqual(
      expect.arrayContaining(
        ['changed', 'erased', 'gone', 'no_integration'].map((reason) =>
          expect.objectContaining({ reason, messages: 1 }),
        ),
      ),
    );
    expect(await listGenerations(unchanged.requestId)).toHaveLength(2);
    const { messages, leftOut } = await count(opened, 'state=failed');
    expect(messages).toBe(1);
    expect(leftOut).toContainEqual(
      expect.objectContaining({ reason: 'no_integration', messages: 1 }),
    );
  });

  test('of a single message is also refused without an integration', async () => {
    const { tenant, call } = await open();
    const pool = dashboard.database.lookUps;
    const sender = { channel: 'slack', provider: 'slack' };
    const { id } = await dashboard.factories.createIntegration(tenant, sender);
    const event = await dashboard.factories.createEvent(tenant, {
      slack: channelVersion({ text: 'x' }, { integrationIds: [id] }),
    });
    await pool.query(`UPDATE app SET delivery = 'live' WHERE id = $1`, [tenant.appId]);
    const { messageId } = await insert(tenant, event, { channel: 'slack', target: 'C1' });
    await pool.query('UPDATE integration SET deleted_at = now() WHERE id = $1', [id]);
    const response = await call('post', `apps/${tenant.appId}/messages/${messageId}/resend`, {});
    expect([response.status, response.body.error]).toEqual([
      409,
      expect.stringContaining('Every integration of the channel was removed.'),
    ]);
    await pool.query('UPDATE integration SET deleted_at = NULL WHERE id = $1', [id]);
    const resent = await call('post', `apps/${tenant.appId}/messages/${messageId}/resend`, {});
    expect([resent.status, resent.body.generation]).toEqual([200, 1]);
  });

  test('refuses to resend more than was confirmed, and writes nothing', async () => {
    const opened = await open();
    await opened.insert();
    const { filters } = await count(opened, 'state=failed&to=99999999999999');
    await opened.insert();
    const later = { ...filters, to: String(Number(filters.to) + 60_000) };
    const body = { filters: later, confirmed: 1, perSecond: 50 };
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { status, body: problem } = await opened.call('post', opened.at(''), body);
    expect([status, problem.code]).toEqual([409, 'needs_confirmation']);
    expect((await opened.call('get', opened.at(''))).body).toEqual({ runs: [] });
  });

  test('refuses to resend a message that was in another state when it was confirmed', async () => {
    const opened = await open();
    const { messageId } = await opened.insert();
    const { filters, states } = await count(opened, 'to=99999999999999');
    expect(states).toMatchObject([{ name: 'failed', messages: 1 }]);
    const pool = dashboard.database.lookUps;
    await pool.query(`UPDATE message SET state = 'delivered', reason = NULL WHERE id = $1`, [
      messageId,
    ]);
    const run = { filters, confirmed: 1, perSecond: 50 };
    const post = (confirmedStates: object) =>
      opened.call('post', opened.at(''), { ...run, confirmedStates });
    expect((await post({ failed: 1 })).body.code).toBe('needs_confirmation');
    expect((await post({ delivered: 1 })).status).toBe(200);
  });

  test('keeps its rate by the clock of PostgreSQL, one run per app', async () => {
    const opened = await open();
    for (let index = 0; index < 12; index += 1) await opened.insert();
    const id = await start(opened, 'state=failed', 10);
    const again = { filters: { state: 'failed' }, confirmed: 12, perSecond: 10 };
    const response = await opened.call('post', opened.at(''), again);
    expect([response.status, response.body.error]).toEqual([
      409,
      expect.stringContaining('Another resend'),
    ]);
    await carryOut(id, 1);
    const { rows } = await dashboard.database.lookUps.query<{ wait: number; resent: number }>(
      'SELECT extract(epoch FROM next_at - now())::float8 AS wait, resent FROM resend WHERE id = $1',
      [id],
    );
    expect(rows[0]?.resent).toBe(10);
    expect(rows[0]?.wait).toBeGreaterThan(0.5);
  });

  test('stops when cancelled and reports the number of unsent messages', async () => {
    const opened = await open();
    for (let index = 0; index < 12; index += 1) await opened.insert();
    const id = await start(opened, 'state=failed', 10);
    await carryOut(id, 1);
    const { body: run } = await opened.call('post', opened.at(`/${id}/cancel`));
    expect(run).toMatchObject({ state: 'cancelled', resent: 10, cancelled: 2, left: 0 });
    await dashboard.database.lookUps.query('UPDATE resend SET next_at = now() WHERE id = $1', [id]);
    await carryOutChunk();
    expect((await opened.call('get', opened.at(`/${id}`))).body.resent).toBe(10);
    expect((await opened.call('post', opened.at(`/${id}/cancel`))).status).toBe(409);
    const { entries } = (await opened.call('get', 'audit')).body;
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'resend.cancelled', change: { messages: 2 } }),
    );
  });

  test('succeeded only if every resent message is sent, delivered or read', async () => {
    const opened = await open();
    for (let index = 0; index < 3; index += 1) await opened.insert();
    const id = await start(opened, 'state=failed');
    await carryOut(id);
    const setStates = (from: string, to: string, limit: number) =>
      dashboard.database.lookUps.query(
        `UPDATE message SET state = $3 WHERE id IN (
           SELECT id FROM message WHERE app_id = $1 AND generation = 1 AND state = $2 LIMIT $4)`,
        [opened.tenant.appId, from, to, limit],
      );
    async function read() {
      const { body } = await opened.call('get', opened.at(`/${id}`));
      const [listed] = (await opened.call('get', opened.at(''))).body.runs;
      const { state, now, result } = body;
      expect([listed.now, listed.result]).toEqual([now, result]);
      return { state, result, ...now };
    }
    const counts = { state: 'finished', open: 0, accepted: 0, notDelivered: 0 };
    expect(await read()).toEqual({ ...counts, result: null, open: 3 });
    await setStates('queued', 'failed', 3);
    expect(await read()).toEqual({ ...counts, result: 'failed', notDelivered: 3 });
    await setStates('failed', 'delivered', 2);
    expect(await read()).toEqual({ ...counts, result: 'partly', accepted: 2, notDelivered: 1 });
    await setStates('failed', 'sent', 1);
    expect(await read()).toEqual({ ...counts, result: 'succeeded', accepted: 3 });
  });

  test('loses and duplicates nothing if a chunk is interrupted or taken twice', async () => {
    const opened = await open();
    const inserted: Inserted[] = [];
    for (let index = 0; index < 5; index += 1) inserted.push(await opened.insert());
    const id = await start(opened, 'state=failed');
    const cut = carryOutAround(id, () =>
      dashboard.database.lookUps.query(`SELECT pg_terminate_backend(pid) FROM (${lockWaiters}) w`),
    );
    await expect(cut).rejects.toThrow();
    const { body } = await opened.call('get', opened.at(`/${id}`));
    expect(body).toMatchObject({ resent: 0, left: 5 });
    await Promise.all([carryOut(id), carryOut(id)]);
    for (const { requestId } of inserted) expect(await listGenerations(requestId)).toHaveLength(2);
    expect((await opened.call('get', opened.at(`/${id}`))).body).toMatchObject({ resent: 5 });
  });

  test('is locked while a chunk of it runs', async () => {
    const opened = await open();
    const { requestId } = await opened.insert();
    const id = await start(opened, 'state=failed');
    const besides: (string | undefined)[] = [];
    await carryOutAround(id, async () => besides.push((await carryOutChunk())?.resendId));
    expect(besides).toHaveLength(1);
    expect(besides).not.toContain(id);
    expect(await listGenerations(requestId)).toHaveLength(2);
    const { body } = await opened.call('get', opened.at(`/${id}`));
    expect(body).toMatchObject({ resent: 1, skipped: 0, state: 'finished' });
  });

  test('waits while all sending of its app is paused', async () => {
    const opened = await open();
    await opened.insert();
    const id = await start(opened, 'state=failed');
    const app = `apps/${opened.tenant.appId}`;
    expect((await opened.call('post', `${app}/pause`)).body.sendingPausedAt).toEqual(
      expect.any(Number),
    );
    const carried = await carryOutChunk();
    expect(carried?.resendId).not.toBe(id);
    expect((await opened.call('get', opened.at(`/${id}`))).body.state).toBe('paused');
    expect((await opened.call('post', `${app}/resume`)).body.sendingPausedAt).toBeNull();
    await carryOut(id);
    expect((await opened.call('get', opened.at(`/${id}`))).body.state).toBe('finished');
  });

  test('reports that no worker has the required role', async () => {
    const opened = await open();
    await opened.insert();
    const id = await start(opened, 'state=failed');
    const read = async () => (await opened.call('get', opened.at(`/${id}`))).body.hasNoWorker;
    expect(await read()).toBe(true);
    const worker = { id: newId(), roles: ['fanout'], version: '1', startedAt: new Date() };
    await dashboard.database.prisma.workerHeartbeat.create({ data: worker });
    expect(await read()).toBe(false);
    await dashboard.database.prisma.workerHeartbeat.delete({ where: { id: worker.id } });
  });

  test('does not store an address from its filter', async () => {
    const opened = await open();
    await opened.insert({ target: 'ana.ruiz@example.com' });
    const id = await start(opened, 'recipient=ana.ruiz@example.com');
    const { body } = await opened.call('get', opened.at(`/${id}`));
    expect(body.filters.recipient).toBe('a***@example.com');
    const { body: audit } = await opened.call('get', 'audit');
    expect(JSON.stringify(audit)).not.toContain('ana.ruiz');
  });

  test('can be read by a viewer, but not started or cancelled', async () => {
    const opened = await open();
    await opened.insert();
    const id = await start(opened, 'state=failed');
    await makeViewer(opened);
    const body = { filters: { state: 'failed' }, confirmed: 1, perSecond: 50 };
    expect((await opened.call('post', opened.at(''), body)).status).toBe(403);
    expect((await opened.call('post', opened.at(`/${id}/cancel`))).status).toBe(403);
    expect((await opened.call('post', `apps/${opened.tenant.appId}/pause`)).status).toBe(403);
    expect((await opened.call('get', opened.at(`/${id}`))).body.state).toBe('running');
    expect((await opened.call('get', opened.at('/count?state=failed'))).status).toBe(200);
  });
});

async function makeViewer({ tenant }: Neighbour): Promise<void> {
  await dashboard.database.prisma.operator.updateMany({
    where: { accountId: tenant.accountId },
    data: { role: 'viewer' },
  });
}
