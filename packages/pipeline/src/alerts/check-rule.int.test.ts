import type { AlertRuleFields } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { channelVersion, writePastMessages } from '@belfry/testing';
import { type Check, checkRule } from './check-rule';
import type { EvaluatedRule, Memory } from './rules.sql';
import { type AlertWorld, createAlertWorld, minuteMs } from './world.fixture';

jest.setTimeout(60_000);

let world: AlertWorld;
beforeAll(async () => {
  world = await createAlertWorld();
});
afterAll(() => world.close());

type Checked = Pick<AlertRuleFields, 'kind'> &
  Partial<Pick<AlertRuleFields, 'channel' | 'integrationId' | 'params'>> & {
    memory?: Memory;
    appId?: string;
    now?: Date;
  };

function check({ now = new Date(), ...rule }: Checked): Promise<Check> {
  const evaluated: EvaluatedRule = {
    ...{ id: newId(), appId: world.tenant.appId, channel: null, integrationId: null, params: {} },
    ...{ memory: {}, hasTarget: false, updatedAt: now, incidentId: null, remindAt: null },
    ...{ reminders: null, clearSince: null, isQuiet: null },
    ...rule,
  };
  return checkRule(world.database.delivery, evaluated, now);
}

async function createApp(): Promise<string> {
  const { prisma } = world.database;
  const id = newId();
  const { accountId } = world.tenant;
  await prisma.app.create({ data: { id, accountId, name: 'Shop', delivery: 'live' } });
  return id;
}

describe('failure_rate', () => {
  const params = { percent: 10, minutes: 15, messages: 20 };
  async function countMinute(
    appId: string,
    counts: { failed: number; sent: number; agoMinutes?: number },
  ) {
    const { failed, sent, agoMinutes = 2 } = counts;
    await world.sql(
      `INSERT INTO message_minute (app_id, channel, minute, waiting, sent, delivered, read, failed, skipped, unknown)
       VALUES ($1, 'email', date_trunc('minute', now()) - $2 * interval '1 minute', 9, $3, 0, 0, $4, 500, 0)`,
      [appId, agoMinutes, sent, failed],
    );
  }

  test('it fires above the share, and not at it', async () => {
    const appId = await createApp();
    await countMinute(appId, { failed: 10, sent: 90 });
    expect((await check({ appId, kind: 'failure_rate', params })).finding).toBeUndefined();
    await countMinute(appId, { failed: 1, sent: 0, agoMinutes: 3 });
    const { finding } = await check({ appId, kind: 'failure_rate', params });
    expect(finding?.sentence).toBe('11 of 101 messages failed in the last 15 min (10.9 %).');
    const other = { appId, kind: 'failure_rate', params, channel: 'sms' } as const;
    expect((await check(other)).finding).toBeUndefined();
  });

  test('too few messages, and those before the period, do not count', async () => {
    const appId = await createApp();
    await countMinute(appId, { failed: 19, sent: 0 });
    await countMinute(appId, { failed: 100, sent: 0, agoMinutes: 16 });
    expect((await check({ appId, kind: 'failure_rate', params })).finding).toBeUndefined();
    await countMinute(appId, { failed: 1, sent: 0, agoMinutes: 4 });
    expect((await check({ appId, kind: 'failure_rate', params })).finding).toBeDefined();
  });
});

test('oldest_waiting fires for a due message over the time, unless it is paused, waits for later, or is on another channel', async () => {
  const { database, tenant } = world;
  const event = await world.factories.createEvent(tenant, {
    email: channelVersion({ subject: 'x' }),
  });
  const place = { database, tenant, event };
  const [message] = await writePastMessages(place, [
    { acceptedAt: Date.now(), channel: 'email', state: 'queued' },
  ]);
  const kind = 'oldest_waiting';
  const params = { minutes: 10 };
  const setDue = (seconds: number) =>
    world.sql(`UPDATE message SET due_at = now() - $2 * interval '1 s' WHERE id = $1`, [
      message?.messageId,
      seconds,
    ]);
  const isFiring = async (more: Partial<Checked> = {}) =>
    (await check({ kind, params, ...more })).finding !== undefined;
  expect(await isFiring()).toBe(false);
  await setDue(590);
  expect(await isFiring()).toBe(false);
  await setDue(610);
  expect(await isFiring()).toBe(true);
  expect(await isFiring({ channel: 'email' })).toBe(true);
  expect(await isFiring({ channel: 'sms' })).toBe(false);
  expect(await isFiring({ appId: await createApp() })).toBe(false);
  const pause = [tenant.appId, 'email'];
  await world.sql('INSERT INTO channel_pause (app_id, channel) VALUES ($1, $2)', pause);
  expect(await isFiring()).toBe(false);
  await world.sql('DELETE FROM channel_pause WHERE app_id = $1 AND channel = $2', pause);
  await world.sql(`UPDATE message SET job_id = gen_random_uuid() WHERE id = $1`, [
    message?.messageId,
  ]);
  expect(await isFiring()).toBe(true);
  await world.sql(`UPDATE message SET state = 'sent', due_at = NULL WHERE id = $1`, [
    message?.messageId,
  ]);
  expect(await isFiring()).toBe(false);
});

async function createIntegration(appId: string, channel = 'email', provider = 'smtp') {
  const app = { accountId: world.tenant.accountId, appId };
  return (await world.factories.createIntegration(app, { channel, provider })).id;
}

describe('integrations', () => {
  async function setHealth(id: string, health: { failures: number; circuit?: string }) {
    await world.sql(
      `INSERT INTO integration_health (integration_id, last_success_at, last_failure_at, failures_in_row, circuit_open_until)
       VALUES ($1, now() - interval '1 minute', now(), $2, now() + $3::interval)
       ON CONFLICT (integration_id) DO UPDATE SET failures_in_row = $2, circuit_open_until = now() + $3::interval`,
      [id, health.failures, health.circuit ?? null],
    );
  }

  test('integration_failing fires after five failures in a row or a refusal, for its own integration only', async () => {
    const appId = await createApp();
    const [id, other] = [await createIntegration(appId), await createIntegration(appId)];
    const rule = { kind: 'integration_failing', appId } as const;
    await setHealth(id, { failures: 4 });
    expect((await check(rule)).finding).toBeUndefined();
    await setHealth(id, { failures: 5 });
    expect((await check(rule)).finding).toMatchObject({ integrationIds: [id], provider: 'smtp' });
    expect((await check({ ...rule, integrationId: other })).finding).toBeUndefined();
    await setHealth(id, { failures: 0 });
    expect((await check(rule)).finding).toBeUndefined();
    await world.sql(`UPDATE integration SET state = 'needs_attention' WHERE id = $1`, [other]);
    expect((await check(rule)).finding).toMatchObject({ integrationIds: [other] });
  });

  test('circuit_open fires while the circuit is open', async () => {
    const appId = await createApp();
    const id = await createIntegration(appId);
    const rule = { kind: 'circuit_open', appId } as const;
    await setHealth(id, { failures: 5, circuit: '-1 s' });
    expect((await check(rule)).finding).toBeUndefined();
    await setHealth(id, { failures: 5, circuit: '20 s' });
    expect((await check(rule)).finding).toMatchObject({ integrationIds: [id] });
  });

  test('receipts_stopped fires when a provider accepts and does not report, after it reported before', async () => {
    const appId = await createApp();
    const id = await createIntegration(appId, 'sms', 'twilio');
    const mail = await createIntegration(appId);
    const rule = {
      kind: 'receipts_stopped',
      appId,
      params: { minutes: 30, messages: 20 },
    } as const;
    const accept = (integrationId: string, accepted: number, agoMinutes: number) =>
      world.sql(
        `INSERT INTO integration_count (integration_id, at, succeeded, failed) VALUES ($1, now() - $3 * interval '1 minute', $2, 0)`,
        [integrationId, accepted, agoMinutes],
      );
    const reported = { [id]: Date.now() - 31 * minuteMs, [mail]: 0 };
    // Receipts of these cannot be there yet.
    await accept(id, 100, 5);
    await accept(id, 19, 15);
    await accept(mail, 100, 15);
    expect((await check({ ...rule, memory: reported })).finding).toBeUndefined();
    await accept(id, 1, 20);
    expect((await check({ ...rule, memory: reported })).finding).toMatchObject({
      integrationIds: [],
    });
    expect((await check(rule)).finding).toBeUndefined();
    const now = Date.now();
    await world.database.prisma.receipt.create({
      data: { id: newId(), appId, integrationId: id, state: 'delivered', body: '{}' },
    });
    const { finding, memory } = await check({ ...rule, memory: { ...reported, checkedAt: now } });
    expect(finding).toBeUndefined();
    expect(memory[id]).toBeGreaterThanOrEqual(now - minuteMs);
  });
});

test('no_worker fires for a channel of a live event without a heartbeat for the time', async () => {
  const appId = await createApp();
  const app = { accountId: world.tenant.accountId, appId };
  const rule = { kind: 'no_worker', appId, params: { minutes: 2 } } as const;
  const setHeartbeat = (seconds: number) =>
    world.sql(
      `INSERT INTO worker_heartbeat (id, roles, version, started_at, heartbeat_at) VALUES ('w', '{deliver-sms}', '1', now(), now() - $1 * interval '1 s')
       ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
      [seconds],
    );
  await setHeartbeat(600);
  expect((await check(rule)).finding).toBeUndefined();
  await world.factories.createEvent(app, { sms: channelVersion({ text: 'x' }) });
  expect((await check(rule)).finding).toMatchObject({ channel: 'sms' });
  expect((await check({ ...rule, channel: 'email' })).finding).toBeUndefined();
  await setHeartbeat(110);
  expect((await check(rule)).finding).toBeUndefined();
  await setHeartbeat(5);
  expect((await check(rule)).finding).toBeUndefined();
  // A worker that ends removes its heartbeat: then the time counts from the first check.
  await world.sql(`DELETE FROM worker_heartbeat WHERE id = 'w'`);
  const { finding, memory } = await check(rule);
  expect(finding).toBeUndefined();
  const later = new Date(Date.now() + 2 * minuteMs);
  expect((await check({ ...rule, memory, now: later })).finding).toMatchObject({ channel: 'sms' });
});
