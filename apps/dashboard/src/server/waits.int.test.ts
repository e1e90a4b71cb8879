import { newId } from '@belfry/runtime';
import { type QueueReason, queueReasonNames, type WaitReason, waitReasons } from '@belfry/shared';
import { channelVersion } from '@belfry/testing';
import { readUntil } from './read-stream.fixture';
import {
  createStoredDashboard,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let account: Neighbour;
/** All stored reasons: due and later, in a paused channel and another one, with an integration in each state. */
let mixed: { appId: string; messages: Waiting[] };
/** Another app of the account. */
let other: { appId: string; messages: Waiting[] };

type Place = { appId: string; eventId: string; versionId: string };
type Waiting = {
  requestId: string;
  channel: string;
  state: 'queued' | 'sending';
  waits: WaitReason | null;
  dueInMs: number;
  integrationId: string | null;
  isPaused: boolean;
  isBulk: boolean;
};

const minuteMs = 60_000;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
  account = await dashboard.createNeighbour();
  mixed = await createMixedApp();
  const { body } = await account.call('post', 'apps', { name: 'Other' });
  const place = await createPlace(body.id);
  const retrying = { waits: 'retry', dueInMs: minuteMs } as const;
  other = { appId: place.appId, messages: await insert(place, [retrying, retrying, {}]) };
});

afterAll(() => dashboard.close());

async function createPlace(appId: string): Promise<Place> {
  const { accountId } = account.tenant;
  const channels = {
    email: channelVersion({ subject: 'x', html: 'x' }),
    sms: channelVersion({ text: 'x' }, { policy: { attempts: 5 } }),
  };
  const event = await dashboard.factories.createEvent({ accountId, appId }, channels);
  return { appId, eventId: event.eventId, versionId: event.versionId };
}

async function createMixedApp(): Promise<typeof mixed> {
  const { tenant, call } = account;
  const { factories, database } = dashboard;
  const place = await createPlace(tenant.appId);
  const states = ['active', 'paused', 'needs_attention'];
  const integrations = [];
  for (const state of states) {
    const { id } = await factories.createIntegration(tenant, {
      channel: 'sms',
      provider: 'twilio',
    });
    await database.prisma.integration.update({ where: { id }, data: { state } });
    integrations.push({ id, state });
  }
  await call('post', `apps/${tenant.appId}/channels/email/pause`);
  const carriers = [{ id: null, state: 'active' }, ...integrations];
  const reasons = [null, ...(Object.keys(waitReasons) as WaitReason[])];
  const messages = reasons.flatMap((waits, index) =>
    [-minuteMs, minuteMs].flatMap((dueInMs) =>
      ['email', 'sms'].flatMap((channel) =>
        carriers.map(({ id, state }) => ({
          waits,
          dueInMs,
          channel,
          integrationId: id,
          isPaused: channel === 'email' || state === 'paused',
          isBulk: index % 2 === 0,
        })),
      ),
    ),
  );
  const sending = { state: 'sending', dueInMs: minuteMs } as const;
  return { appId: place.appId, messages: await insert(place, [...messages, sending, sending]) };
}

/** One request for each message. */
async function insert(place: Place, changes: Partial<Waiting>[]): Promise<Waiting[]> {
  const { lookUps } = dashboard.database;
  const messages = changes.map(
    (change): Waiting => ({
      ...{ channel: 'sms', state: 'queued', waits: null, dueInMs: -minuteMs, integrationId: null },
      ...{ isPaused: false, isBulk: false, requestId: newId(), ...change },
    }),
  );
  const ids = messages.map(({ requestId }) => requestId);
  await lookUps.query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
     SELECT id, $2, $3, $4, $5, 'single', 1, 1 FROM unnest($1::uuid[]) t (id)`,
    [ids, account.tenant.accountId, place.appId, place.eventId, place.versionId],
  );
  await lookUps.query(
    `INSERT INTO request_item (request_id, item, recipient, planned_at)
     SELECT id, 0, '{}', now() FROM unnest($1::uuid[]) t (id)`,
    [ids],
  );
  await lookUps.query(
    `INSERT INTO message (id, request_id, item, app_id, channel, target, state, waits, integration_id, is_bulk, attempts,
       due_at, created_at, expires_at, job_id)
     SELECT gen_random_uuid(), id, 0, $2, channel, 'x', state, waits, integration_id, is_bulk, 3,
       now() + due_in_ms * interval '1 ms', now() - interval '1 hour', now() + interval '1 day',
       CASE WHEN state = 'sending' OR waits IS NULL AND is_bulk THEN id END
     FROM unnest($1::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::bool[], $8::int[])
       t (id, channel, state, waits, integration_id, is_bulk, due_in_ms)`,
    [
      ids,
      place.appId,
      messages.map(({ channel }) => channel),
      messages.map(({ state }) => state),
      messages.map(({ waits }) => waits),
      messages.map(({ integrationId }) => integrationId),
      messages.map(({ isBulk }) => isBulk),
      messages.map(({ dueInMs }) => dueInMs),
    ],
  );
  return messages;
}

/** The queued messages of each integration, which is one for SMS, by its name. */
async function listByIntegration(): Promise<Record<string, string[]>> {
  const { body } = await account.call('get', `apps/${mixed.appId}/integrations`);
  const entries = body.integrations.map(({ id, name }: { id: string; name: string }) => {
    const own = mixed.messages.filter(
      ({ integrationId, channel }) => integrationId === id && channel === 'sms',
    );
    return [name, own.map(({ requestId }) => requestId).sort()];
  });
  return Object.fromEntries(entries);
}

/** The rule in TypeScript. */
function getReason({ state, waits, dueInMs, isPaused }: Waiting): QueueReason | 'sending' {
  if (state === 'sending') return 'sending';
  if (dueInMs > 0 && waits !== null) return waits;
  return isPaused ? 'paused' : 'due';
}

function listIds(messages: Waiting[], reason: string): string[] {
  return messages
    .filter((message) => getReason(message) === reason)
    .map(({ requestId }) => requestId)
    .sort();
}

/** Request ids of all pages of the log. */
async function readLog(appId: string, query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor = '';
  do {
    const { body } = await account.call('get', `apps/${appId}/log?${query}&cursor=${cursor}`);
    ids.push(...body.rows.map(({ requestId }: { requestId: string }) => requestId));
    cursor = body.next ?? '';
  } while (cursor !== '');
  return ids.sort();
}

type Counts = { reasons: Record<string, { messages: number }>; queued: { messages: number } };

const readQueues = async (query = '') => (await account.call('get', `queues${query}`)).body;

describe('a count of waiting messages', () => {
  test.each([...queueReasonNames])(
    'is the number of messages that the log shows: %s',
    async (reason) => {
      const { apps } = await readQueues();
      for (const { appId, messages } of [mixed, other]) {
        const expectedIds = listIds(messages, reason);
        const counts: Counts = apps.find((app: { appId: string }) => app.appId === appId);
        expect(counts.reasons[reason]?.messages).toBe(expectedIds.length);
        expect(await readLog(appId, `waits=${reason}`)).toEqual(expectedIds);
      }
    },
  );

  test('is in one reason only: reasons add up to all queued messages, and sending is apart', async () => {
    const { apps, total, channels } = await readQueues();
    for (const { reasons, queued } of [...apps, total, ...channels] as Counts[]) {
      const sum = Object.values(reasons).reduce((all, { messages }) => all + messages, 0);
      expect(queued.messages).toBe(sum);
    }
    expect(total).toMatchObject({ queued: { messages: 128 + 3 }, sending: { messages: 2 } });
    expect(await readLog(mixed.appId, 'state=sending')).toEqual(listIds(mixed.messages, 'sending'));
  });

  test('is kept per channel of the requested app', async () => {
    const { channels, apps } = await readQueues(`?app=${mixed.appId}`);
    expect(apps).toHaveLength(1);
    for (const { channel, reasons } of channels as (Counts & { channel: string })[]) {
      const own = mixed.messages.filter((message) => message.channel === channel);
      expect([channel, reasons['paused']?.messages]).toEqual([
        channel,
        listIds(own, 'paused').length,
      ]);
      expect(await readLog(mixed.appId, `waits=paused&channel=${channel}`)).toEqual(
        listIds(own, 'paused'),
      );
    }
  });

  test('of an integration is the number of queued messages that the log shows for it', async () => {
    const { integrations } = await readQueues(`?app=${mixed.appId}`);
    const expectedIds = await listByIntegration();
    expect(integrations).toHaveLength(3);
    for (const { name, waiting } of integrations as { name: string; waiting: number }[]) {
      expect([name, waiting]).toEqual([name, expectedIds[name]?.length]);
      const query = `state=queued&integration=${name}`;
      expect([name, await readLog(mixed.appId, query)]).toEqual([name, expectedIds[name]]);
    }
  });

  test('has the age of its oldest message: since it was due, else since it was created', async () => {
    const { total, readAt } = await readQueues(`?app=${other.appId}`);
    expect(readAt - total.reasons.due.oldestAt).toBeLessThan(10 * minuteMs);
    expect(readAt - total.reasons.retry.oldestAt).toBeGreaterThan(59 * minuteMs);
    expect(total.reasons.retry.nextDueAt).toBeGreaterThan(readAt);
    expect(total.reasons.limit).toEqual({
      messages: 0,
      isCapped: false,
      oldestAt: null,
      nextDueAt: null,
    });
  });

  test('stops at 10,000 per app, so that one app hides no message of another', async () => {
    const { body } = await account.call('post', 'apps', { name: 'Large' });
    const place = await createPlace(body.id);
    const scheduled = { waits: 'schedule', dueInMs: minuteMs } as const;
    await insert(
      place,
      Array.from({ length: 10_001 }, () => scheduled),
    );
    await insert(place, [{}]);
    const { apps, total } = await readQueues();
    const large: Counts = apps.find((app: { appId: string }) => app.appId === place.appId);
    expect(large.reasons).toMatchObject({
      due: { messages: 1, isCapped: false },
      schedule: { messages: 10_000, isCapped: true },
    });
    expect(total.reasons.retry.messages).toBeGreaterThan(listIds(other.messages, 'retry').length);
    await dashboard.database.lookUps.query(
      'UPDATE message SET state = $2, due_at = NULL WHERE app_id = $1',
      [place.appId, 'sent'],
    );
  });
});

test('the count of an integration says that it may be too low behind a backlog of another one', async () => {
  const { body } = await account.call('post', 'apps', { name: 'Backlog' });
  const place = await createPlace(body.id);
  const owner = { accountId: account.tenant.accountId, appId: place.appId };
  const twilio = { channel: 'sms', provider: 'twilio' };
  const busy = await dashboard.factories.createIntegration(owner, twilio);
  const behind = await dashboard.factories.createIntegration(owner, twilio);
  const readCount = async (id: string) =>
    (await account.call('get', `apps/${place.appId}/integrations/${id}`)).body;
  const early = { integrationId: busy.id, dueInMs: -2 * minuteMs };
  await insert(place, [{ integrationId: behind.id }, ...Array.from({ length: 999 }, () => early)]);
  expect(await readCount(busy.id)).toMatchObject({ waiting: 999, isWaitingCapped: false });
  expect(await readCount(behind.id)).toMatchObject({ waiting: 1, isWaitingCapped: false });
  await insert(
    place,
    Array.from({ length: 4_000 }, () => early),
  );
  expect(await readCount(busy.id)).toMatchObject({ waiting: 1_000, isWaitingCapped: true });
  expect(await readCount(behind.id)).toMatchObject({ waiting: 1, isWaitingCapped: false });
  await insert(place, [early, early]);
  expect(await readCount(behind.id)).toMatchObject({ waiting: 0, isWaitingCapped: true });
  const removal = await account.call('delete', `apps/${place.appId}/integrations/${busy.id}`);
  expect(removal.body.error).toContain('At least 1,000 waiting messages will fail as');
  await dashboard.database.lookUps.query(
    'UPDATE message SET state = $2, due_at = NULL WHERE app_id = $1',
    [place.appId, 'sent'],
  );
});

describe('the filter of the log by reason', () => {
  const at = () => `apps/${other.appId}`;

  test('combines with the other filters', async () => {
    const [first] = listIds(other.messages, 'retry');
    expect(await readLog(other.appId, `waits=retry&requestId=${first}`)).toEqual([first]);
    expect(await readLog(other.appId, `waits=due&requestId=${first}`)).toEqual([]);
    expect(await readLog(other.appId, 'waits=retry&state=queued')).toHaveLength(2);
    expect(await readLog(other.appId, 'waits=retry&state=failed')).toEqual([]);
    expect(await readLog(other.appId, 'waits=retry&channel=email')).toEqual([]);
    expect(await readLog(other.appId, 'waits=retry&recipient=x')).toHaveLength(2);
  });

  test('refuses a reason that does not exist, and can be saved', async () => {
    const { status, body } = await account.call('get', `${at()}/log?waits=anything`);
    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/^waits must be one of due, /),
    ]);
    const filters = { waits: 'retry' };
    const saved = await account.call('post', `${at()}/filters`, { name: 'Retrying', filters });
    expect(saved.body.filters).toMatchObject([{ filters }]);
    const wrong = { name: 'Wrong', filters: { waits: 'anything' } };
    expect((await account.call('post', `${at()}/filters`, wrong)).status).toBe(422);
  });

  test('selects the same messages for a resend, which queued messages cannot have', async () => {
    const { body } = await account.call('get', `${at()}/resends/count?waits=retry`);
    expect(body).toMatchObject({ messages: 0, leftOut: [{ messages: 2 }] });
  });

  test('applies to the live log', async () => {
    const leave = new AbortController();
    const response = await fetch(`${dashboard.url}/api/${at()}/log/live?waits=limit`, {
      headers: { cookie: await account.signInForCookie() },
      signal: leave.signal,
    });
    const place = await createPlace(other.appId);
    const [, limited] = await insert(place, [{}, { waits: 'limit', dueInMs: minuteMs }]);
    const text = await readUntil(response, 'event: rows');
    leave.abort();
    const { rows } = JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '{}');
    expect(rows).toMatchObject([{ requestId: limited?.requestId }]);
  });
});

describe('the filter of the log by integration', () => {
  test('combines with the other filters, selects messages for a resend, and can be saved', async () => {
    const [name = '', ids = []] = Object.entries(await listByIntegration())[0] ?? [];
    const own = mixed.messages.filter(({ requestId }) => ids.includes(requestId));
    const query = `integration=${name}`;
    expect(await readLog(mixed.appId, query)).toEqual(ids);
    expect(await readLog(mixed.appId, `${query}&waits=due`)).toEqual(listIds(own, 'due'));
    expect(await readLog(mixed.appId, `${query}&requestId=${ids[0]}`)).toEqual(ids.slice(0, 1));
    expect(await readLog(mixed.appId, `${query}&recipient=x`)).toEqual(ids);
    expect(await readLog(mixed.appId, `${query}&state=failed`)).toEqual([]);
    const at = `apps/${mixed.appId}`;
    const { body } = await account.call('get', `${at}/resends/count?${query}`);
    expect(body).toMatchObject({ messages: 0, leftOut: [{ messages: ids.length }] });
    const filters = { integration: name };
    const saved = await account.call('post', `${at}/filters`, { name: 'Own', filters });
    expect(saved.body.filters).toMatchObject([{ filters }]);
  });

  test('finds nothing for a name that the app does not have', async () => {
    const [name = ''] = Object.keys(await listByIntegration());
    expect(await readLog(mixed.appId, `integration=${name}x`)).toEqual([]);
    expect(await readLog(other.appId, `integration=${name}`)).toEqual([]);
  });
});

describe('a retrying message', () => {
  test('has its attempts and its next time in the log and in the timeline', async () => {
    const [requestId] = listIds(other.messages, 'retry');
    const at = `apps/${other.appId}`;
    const { body } = await account.call('get', `${at}/log?requestId=${requestId}`);
    const wait = { reason: 'retry', attempts: 3, maxAttempts: 5, dueAt: expect.any(Number) };
    expect(body.rows[0].channels.sms).toMatchObject({ state: 'queued', wait });
    const { channelRows } = (await account.call('get', `${at}/requests/${requestId}`)).body;
    expect(channelRows).toMatchObject([{ waits: { ...wait, sentence: 'Attempt 3 of 5 failed.' } }]);
  });
});
