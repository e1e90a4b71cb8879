import {
  type AlertRuleFields,
  createAlertRules,
  createAppIntegrations,
  createSystemActor,
  writeIntegrationResults,
} from '@belfry/database';
import { newId } from '@belfry/runtime';
import { type AlertKind, getAlertKind } from '@belfry/shared';
import {
  channelVersion,
  createSlackSimulator,
  createSmtpSimulator,
  createTwilioSimulator,
  eventually,
  type SlackSimulator,
  type SmtpSimulator,
  type System,
  simulatedAuthToken,
  startSystem,
  type Tenant,
  type TwilioSimulator,
} from '@belfry/testing';

jest.setTimeout(240_000);

const opsChannel = 'C0123456789';
const firesWithinMs = 60_000;

let slack: SlackSimulator;
let smtp: SmtpSimulator;
let twilio: TwilioSimulator;
let system: System;
let tenant: Tenant;
let ops: string;

beforeAll(async () => {
  slack = await createSlackSimulator();
  smtp = await createSmtpSimulator({ login: { user: 'belfry', pass: 'right' } });
  twilio = await createTwilioSimulator();
  system = await startSystem({
    env: {
      SLACK_API_URL: slack.url,
      TWILIO_API_URL: twilio.url,
      DASHBOARD_URL: 'https://belfry.example/dashboard',
      ALERT_EVALUATE_MS: '500',
    },
    // No worker delivers SMS at first.
    workers: ['relay,fanout,deliver-email,deliver-slack'],
  });
  tenant = await system.factories.createTenant({ delivery: 'live' });
  ops = await createIntegration('slack', 'slack', {
    credentials: { access_token: 'xoxb-simulated-token-7Qd2' },
  });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await Promise.all([slack.close(), smtp.close(), twilio.close()]);
}, 120_000);

type Parts = { settings?: Record<string, unknown>; credentials?: Record<string, unknown> };

async function createIntegration(channel: string, provider: string, parts: Parts = {}) {
  return (await system.factories.createIntegration(tenant, { channel, provider, ...parts })).id;
}

function createMail(pass: string): Promise<string> {
  return createIntegration('email', 'smtp', {
    settings: {
      ...{ host: '127.0.0.1', port: smtp.port, require_tls: false },
      from: { address: 'belfry@example.com' },
    },
    credentials: { user: 'belfry', pass },
  });
}

const sql = (text: string, values: unknown[]) => system.database.lookUps.query(text, values);

async function createRule(kind: AlertKind, more: Partial<AlertRuleFields> = {}): Promise<string> {
  const fields: AlertRuleFields = {
    ...{ kind, channel: null, integrationId: null, params: {} },
    ...{ sendBy: ops, sendTo: [opsChannel], fallbackBy: null, fallbackTo: [] },
    ...more,
  };
  const rules = createAlertRules(system.database.lookUps);
  const actor = createSystemActor(tenant.accountId);
  const created = await rules.create(actor, tenant.appId, fields);
  if (created === 'full') throw new Error('The app has too many rules');
  return created.id;
}

/** The texts that the operators got about a kind of rule. */
function listTexts(word: 'Alert' | 'Resolved', kind: AlertKind): string[] {
  const start = `${word}: ${getAlertKind(kind).label},`;
  return slack.sends.flatMap(({ channel, text }) =>
    channel === opsChannel && text.startsWith(start) ? [text] : [],
  );
}

async function expectAlert(kind: AlertKind): Promise<void> {
  const [text] = await eventually(
    () => {
      const texts = listTexts('Alert', kind);
      if (texts.length === 0) throw new Error(`No alert about ${kind}`);
      return texts;
    },
    { timeoutMs: firesWithinMs },
  );
  expect(text).toContain('App: Test app');
  expect(text).toContain(`https://belfry.example/dashboard/apps/${tenant.appId}/log?state=`);
}

/** Lets 2 minutes pass for the condition that is false now. */
async function expectResolved(kind: AlertKind, ruleId: string): Promise<void> {
  await eventually(
    async () => {
      await sql(
        `UPDATE alert_incident SET clear_since = clear_since - interval '2 minutes' WHERE rule_id = $1 AND clear_since IS NOT NULL`,
        [ruleId],
      );
      if (listTexts('Resolved', kind).length === 0) throw new Error(`${kind} is not resolved`);
    },
    { timeoutMs: firesWithinMs },
  );
  expect(listTexts('Alert', kind)).toHaveLength(1);
  expect(listTexts('Resolved', kind)).toHaveLength(1);
}

async function sendMails(integrationId: string, count: number, to = 'ana'): Promise<void> {
  const template = channelVersion(
    { subject: 'Hi', text: 'Hi' },
    { integrationIds: [integrationId] },
  );
  const { name: event } = await system.factories.createEvent(tenant, { email: template });
  for (let number = 0; number < count; number += 1) {
    await system.sendAccepted(tenant, { event, user: { email: `${to}${number}@example.com` } });
  }
}

test('failure_rate fires when messages fail, and is resolved when others are sent', async () => {
  const mail = await createMail('right');
  const params = { percent: 50, minutes: 60, messages: 2 };
  const ruleId = await createRule('failure_rate', { channel: 'email', params });
  const unknownUser = { at: 'rcpt', reply: '550 5.1.1 No such user' } as const;
  smtp.fail(unknownUser, unknownUser);
  await sendMails(mail, 2, 'gone');
  await expectAlert('failure_rate');
  await sendMails(mail, 3);
  await expectResolved('failure_rate', ruleId);
});

test('integration_failing fires when a provider refuses a password, and is resolved when it works', async () => {
  const mail = await createMail('wrong');
  const ruleId = await createRule('integration_failing', { integrationId: mail });
  await sendMails(mail, 1);
  await expectAlert('integration_failing');
  const { rows } = await sql('SELECT updated_at AS "updatedAt" FROM integration WHERE id = $1', [
    mail,
  ]);
  await sql(`UPDATE message SET state = 'failed', due_at = NULL WHERE integration_id = $1`, [mail]);
  // The worker writes the failure within 5 s, also after this success.
  await createAppIntegrations(system.database.lookUps).recordTestResult(
    createSystemActor(tenant.accountId),
    tenant.appId,
    { integrationId: mail, updatedAt: rows[0].updatedAt },
    { isWorking: true, detail: '' },
  );
  await expectResolved('integration_failing', ruleId);
});

test('circuit_open fires while a circuit is open', async () => {
  const mail = await createMail('right');
  const ruleId = await createRule('circuit_open', { integrationId: mail });
  const { rows } = await sql('SELECT updated_at AS "updatedAt" FROM integration WHERE id = $1', [
    mail,
  ]);
  const write = (failuresInRow: number) =>
    writeIntegrationResults(system.database.lookUps, [
      {
        ...{ integrationId: mail, updatedAt: rows[0].updatedAt, succeeded: 0, failed: 0 },
        ...(failuresInRow > 0
          ? { failuresInRow, successMsAgo: undefined, failureMsAgo: 0, error: 'no answer' }
          : { failuresInRow, successMsAgo: 0, failureMsAgo: undefined, error: undefined }),
        circuitOpenMs: failuresInRow > 0 ? 120_000 : undefined,
      },
    ]);
  await write(5);
  await expectAlert('circuit_open');
  await write(0);
  await expectResolved('circuit_open', ruleId);
});

test('no_worker and oldest_waiting fire without a worker, and are resolved when one starts', async () => {
  const integrationId = await createIntegration('sms', 'twilio', {
    settings: { sender: '+15005550009' },
    credentials: { account_sid: `AC${'1'.padStart(32, '0')}`, auth_token: simulatedAuthToken },
  });
  const sms = channelVersion({ text: 'Hi' }, { integrationIds: [integrationId] });
  const { name: event } = await system.factories.createEvent(tenant, { sms });
  const requestId = await system.sendAccepted(tenant, { event, user: { mobile: '+4520100001' } });
  await sql(`UPDATE message SET due_at = now() - interval '2 minutes' WHERE request_id = $1`, [
    requestId,
  ]);
  await sql(
    `INSERT INTO worker_heartbeat (id, roles, version, started_at, heartbeat_at)
     VALUES ($1, '{deliver-sms}', '1', now(), now() - interval '2 minutes')`,
    [newId()],
  );
  const params = { minutes: 1 };
  const noWorker = await createRule('no_worker', { channel: 'sms', params });
  const oldest = await createRule('oldest_waiting', { channel: 'sms', params });
  await Promise.all([expectAlert('no_worker'), expectAlert('oldest_waiting')]);
  await system.startWorker('deliver-sms');
  await expectResolved('no_worker', noWorker);
  await expectResolved('oldest_waiting', oldest);
});

test('receipts_stopped fires when a provider reports nothing any more, and is resolved with its next receipt', async () => {
  const integrationId = await createIntegration('sms', 'twilio');
  await sql(
    `INSERT INTO integration_count (integration_id, at, succeeded, failed) VALUES ($1, now() - interval '12 minutes', 30, 0)`,
    [integrationId],
  );
  const params = { minutes: 15, messages: 20 };
  const ruleId = await createRule('receipts_stopped', { integrationId, params });
  const receivedAt = Date.now() - 20 * 60_000;
  // As if the rule had seen a receipt 20 minutes ago.
  await sql('UPDATE alert_rule SET memory = $2 WHERE id = $1', [
    ruleId,
    JSON.stringify({ checkedAt: Date.now(), [integrationId]: receivedAt }),
  ]);
  await expectAlert('receipts_stopped');
  await sql(
    `INSERT INTO receipt (id, app_id, integration_id, state, body) VALUES ($1, $2, $3, 'delivered', '{}')`,
    [newId(), tenant.appId, integrationId],
  );
  await expectResolved('receipts_stopped', ruleId);
});
