import { createAlertRules, createSystemActor } from '@belfry/database';
import type { WebhookType } from '@belfry/shared';
import { channelVersion } from '@belfry/testing';
import { createEndpoint, readDeliveries } from '../webhooks/endpoint.fixture';
import { noticeLeaseMs } from './notify';
import { type AlertWorld, createAlertWorld, minuteMs } from './world.fixture';

jest.setTimeout(60_000);

const hourMs = 60 * minuteMs;

let world: AlertWorld;
beforeEach(async () => {
  world = await createAlertWorld();
});
afterEach(() => world.close());

async function createMail(name: string): Promise<string> {
  const mail = { name, channel: 'email', provider: 'smtp' };
  return (await world.factories.createIntegration(world.tenant, mail)).id;
}

async function breakIntegration(id: string): Promise<void> {
  await world.sql(`UPDATE integration SET state = 'needs_attention' WHERE id = $1`, [id]);
}
async function repairIntegration(id: string): Promise<void> {
  await world.sql(`UPDATE integration SET state = 'active' WHERE id = $1`, [id]);
}

/** A rule about one integration that another one sends, and which fires. */
async function createFiring(more: object = {}) {
  const [broken, sender] = [await createMail('Broken'), await createMail('Sender')];
  const target = { sendBy: sender, sendTo: ['ops@example.com', 'lead@example.com'] };
  const ruleId = await world.createRule({ ...target, ...more });
  await breakIntegration(broken);
  await world.evaluate();
  return { broken, sender, ruleId };
}

async function readNotices(ruleId: string) {
  const [incident] = await world.readHistory(ruleId);
  return (
    incident?.notifications.map(({ kind, outcome, detail }) => ({ kind, outcome, detail })) ?? []
  );
}

test('an alert is sent once, reminds, and says once that it is resolved', async () => {
  const types: WebhookType[] = ['alert.fired', 'alert.resolved'];
  const endpoint = await createEndpoint(world.database, world.tenant, { types });
  const { broken, sender, ruleId } = await createFiring();
  await world.evaluate();
  await world.notify();
  await world.notify();
  expect(world.sent).toHaveLength(1);
  const [first] = world.sent;
  expect(first).toMatchObject({
    to: ['ops@example.com', 'lead@example.com'],
    integration: { id: sender },
  });
  expect(first?.text.subject).toBe('Alert: Integration failing, Test app');
  expect(first?.text.body).toContain('Broken needs attention.');
  expect(first?.text.body).toContain(
    `https://belfry.example/dashboard/apps/${world.tenant.appId}/log?state=failed&channel=email&provider=smtp&from=`,
  );
  world.clock.ms = hourMs + minuteMs;
  await world.evaluate();
  await world.notify();
  await repairIntegration(broken);
  await world.evaluate();
  world.clock.ms += minuteMs;
  await world.evaluate();
  expect((await world.readHistory(ruleId))[0]?.resolvedAt).toBeNull();
  world.clock.ms += minuteMs;
  await world.evaluate();
  await world.evaluate();
  await world.notify();
  expect((await readNotices(ruleId)).map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
    'resolved sent',
    'reminder sent',
    'fired sent',
  ]);
  expect(await readDeliveries(world.database, endpoint.id)).toMatchObject([
    { type: 'alert.fired', data: { rule_id: ruleId, sentence: 'Broken needs attention.' } },
    { type: 'alert.resolved', data: { rule_id: ruleId } },
  ]);
});

test('a rule that fires again and again is quiet, and an alert that then lasts an hour is sent as a new one', async () => {
  const types: WebhookType[] = ['alert.fired', 'alert.resolved'];
  const endpoint = await createEndpoint(world.database, world.tenant, { types });
  const { broken, ruleId } = await createFiring();
  async function resolveNow(): Promise<void> {
    await repairIntegration(broken);
    await world.evaluate();
    world.clock.ms += 2 * minuteMs;
    await world.evaluate();
  }
  for (let count = 1; count <= 3; count += 1) {
    await resolveNow();
    await breakIntegration(broken);
    await world.evaluate();
  }
  expect(await readNotices(ruleId)).toEqual([]);
  world.clock.ms += hourMs + minuteMs;
  await world.evaluate();
  await resolveNow();
  expect((await readNotices(ruleId)).map(({ kind }) => kind)).toEqual(['resolved', 'fired']);
  const deliveries = await readDeliveries(world.database, endpoint.id);
  const [fired, resolved] = types;
  expect(deliveries.map(({ type }) => type)).toEqual(
    Array.from({ length: 4 }, () => [fired, resolved]).flat(),
  );
});

test('the failing integration never sends: the second one does, and without one the history says why', async () => {
  const [broken, second] = [await createMail('Broken'), await createMail('Second')];
  const target = { sendBy: broken, sendTo: ['ops@example.com'] };
  const alone = await world.createRule({ ...target, integrationId: broken });
  const both = await world.createRule({
    ...target,
    fallbackBy: second,
    fallbackTo: ['b@example.com'],
  });
  await breakIntegration(broken);
  await world.evaluate();
  await world.notify();
  expect(world.sent.map(({ integration, to }) => [integration.id, to])).toEqual([
    [second, ['b@example.com']],
  ]);
  expect(await readNotices(both)).toMatchObject([{ outcome: 'sent' }]);
  expect(await readNotices(alone)).toEqual([
    {
      kind: 'fired',
      outcome: 'not_sent',
      detail: 'Not sent: its integration Broken is the failing one.',
    },
  ]);
  await repairIntegration(broken);
  await world.evaluate();
  world.clock.ms += 2 * minuteMs;
  await world.evaluate();
  await world.notify();
  expect((await readNotices(alone))[0]).toMatchObject({ kind: 'resolved', outcome: 'sent' });
});

test('an integration that fails for another reason does not send either', async () => {
  const sender = await createMail('Sender');
  const ruleId = await world.createRule({
    kind: 'no_worker',
    params: { minutes: 1 },
    sendBy: sender,
    sendTo: ['a@example.com'],
  });
  await world.factories.createEvent(world.tenant, { sms: channelVersion({ text: 'x' }) });
  await world.evaluate();
  world.clock.ms = minuteMs;
  await world.sql(
    `INSERT INTO integration_health (integration_id, last_failure_at, failures_in_row) VALUES ($1, now(), 5)`,
    [sender],
  );
  await world.evaluate();
  await world.notify();
  expect(world.sent).toEqual([]);
  expect(await readNotices(ruleId)).toMatchObject([{ outcome: 'not_sent' }]);
});

test('a process that dies between opening an incident and sending loses no notification', async () => {
  const { ruleId } = await createFiring();
  // The process takes the notification, and ends before the provider answers.
  world.setSend(() => Promise.reject(new Error('killed')));
  await world.notify();
  world.setSend(async () => ({ isSent: true, detail: 'ok' }));
  await world.notify();
  expect(await readNotices(ruleId)).toMatchObject([{ outcome: 'waiting' }]);
  world.clock.ms = noticeLeaseMs + 1_000;
  await world.notify();
  expect(await readNotices(ruleId)).toMatchObject([{ outcome: 'sent' }]);
  // Receivers can recognise the repetition.
  expect(new Set(world.sent.map(({ id }) => id)).size).toBe(1);
});

test('a refused notification is tried five times, and the history has the error', async () => {
  const { ruleId } = await createFiring();
  world.setSend(async () => ({
    isSent: false,
    detail: 'mail.example.com refused the connection.',
  }));
  for (let minutes = 0; minutes < 60; minutes += 1) {
    world.clock.ms = minutes * minuteMs;
    await world.notify();
  }
  expect(world.sent).toHaveLength(5);
  expect(await readNotices(ruleId)).toEqual([
    { kind: 'fired', outcome: 'failed', detail: 'mail.example.com refused the connection.' },
  ]);
});

test('a changed or disabled rule ends its incident without a notification', async () => {
  const { ruleId } = await createFiring();
  const { accountId, appId } = world.tenant;
  const rules = createAlertRules(world.database.delivery);
  await rules.setEnabled(createSystemActor(accountId), appId, { id: ruleId, isEnabled: false });
  await world.evaluate();
  await world.notify();
  expect(world.sent).toEqual([]);
  const [incident] = await world.readHistory(ruleId);
  expect(incident?.resolvedAt).not.toBeNull();
  expect(incident?.notifications).toMatchObject([{ outcome: 'not_sent' }]);
});

test('two evaluations at once open one incident', async () => {
  const { ruleId } = await createFiring();
  await Promise.all([world.evaluate(), world.evaluate(), world.evaluate()]);
  expect(await world.readHistory(ruleId)).toHaveLength(1);
});
