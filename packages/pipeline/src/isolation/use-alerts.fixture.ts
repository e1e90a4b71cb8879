import {
  type AlertRuleFields,
  createAlertRules,
  listAlertIncidents,
  readAuditNames,
} from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  countAccepted,
  countEnded,
  findOldestWaiting,
  listLiveChannels,
  listWatched,
  readLastReceipts,
  readRoleHeartbeats,
} from '../alerts/facts.sql';
import {
  addNotification,
  claimNotifications,
  listSending,
  recordTry,
  removeOldIncidents,
} from '../alerts/notifications.sql';
import {
  countIncidents,
  type EvaluatedRule,
  listRules,
  openIncident,
  resolveIncident,
  updateIncident,
  writeMemory,
} from '../alerts/rules.sql';
import { withAlertsLock } from '../relay/retention-lock';
import { send, type World } from './world.fixture';

const firstId = '00000000-0000-0000-0000-000000000000';
const hourMs = 3_600_000;
const finding = { sentence: 'It fails.', channel: 'email', provider: 'smtp' };

export async function useAlerts(world: World): Promise<void> {
  const { database, actor, accountId, appId, integrations, alter } = world;
  const pool = database.delivery;
  await useAlertFacts(world);
  const rules = createAlertRules(pool);
  const fields: AlertRuleFields = {
    ...{ kind: 'integration_failing', channel: null, integrationId: integrations[0], params: {} },
    ...{ sendBy: integrations[0], sendTo: ['ops@example.com'], fallbackBy: null, fallbackTo: [] },
  };
  const created = await rules.create(actor, appId, fields);
  const id = typeof created === 'object' ? created.id : '';
  await withAlertsLock(pool, async (client) => {
    const [rule] = await listRules(client, { after: firstId, limit: 9 });
    if (!rule) throw new Error('The rule is not listed');
    await useIncident(world, rule);
  });
  await rules.recordTest(actor, appId, id);
  await readAuditNames(pool, accountId, [id]);
  await rules.setEnabled(actor, appId, { id, isEnabled: false });
  await rules.setEnabled(actor, appId, { id, isEnabled: true });
  await rules.change(actor, appId, { ...fields, id });
  await alter(`UPDATE alert_incident SET resolved_at = now() - interval '9 days'`);
  await removeOldIncidents(pool, { retentionDays: 1, limit: 9 });
  await rules.remove(actor, appId, id);
  await alter(
    `INSERT INTO alert_rule (id, app_id, kind, params) SELECT gen_random_uuid(), $1, 'circuit_open', '{}' FROM generate_series(1, 20)`,
    [appId],
  );
  await rules.create(actor, appId, fields);
  await alter('DELETE FROM alert_rule');
}

async function useIncident(world: World, rule: EvaluatedRule): Promise<void> {
  const { database, appId, integrations } = world;
  const pool = database.delivery;
  const rules = createAlertRules(pool);
  const now = new Date();
  const facts = { ...finding, integrationIds: [integrations[0]] };
  await writeMemory(pool, rule, { checkedAt: 1 });
  async function open(): Promise<string> {
    const id = newId();
    const incident = { id, firedAt: now, isQuiet: false, remindAt: now, finding: facts };
    await openIncident(pool, rule, incident);
    await addNotification(pool, { id: newId(), appId, incidentId: id, kind: 'fired', now });
    return id;
  }
  const incidentId = await open();
  await countIncidents(pool, rule, new Date(now.getTime() - hourMs));
  await listRules(pool, { after: firstId, limit: 9 });
  await rules.list(appId);
  await rules.find(appId, rule.id);
  const incident = {
    id: incidentId,
    isQuiet: false,
    reminders: 0,
    remindAt: now,
    clearSince: null,
  };
  const update = { incident, finding: facts, clearSince: now, remindAt: now, reminders: 1 };
  await updateIncident(pool, rule, update);
  const [notice] = await claimNotifications(pool, { now, leaseMs: hourMs, limit: 9 });
  if (!notice) throw new Error('No notification is due');
  await listSending(pool, { appId, ids: integrations });
  const result = { outcome: 'sent', nextAt: null, sentBy: 'First', detail: null } as const;
  await recordTry(pool, notice, { ...result, now });
  await listAlertIncidents(pool, appId);
  await resolveIncident(pool, rule, { incidentId, now });
  await open();
}

async function useAlertFacts(world: World): Promise<void> {
  const { database, appId, integrations, alter } = world;
  const pool = database.delivery;
  const [now, from] = [new Date(), new Date(Date.now() - 24 * hourMs)];
  await countEnded(pool, { appId, channel: null, from });
  await send(world, { message: { integrationId: integrations[0] } });
  await alter(`UPDATE message SET due_at = now() - interval '1 hour' WHERE state = 'queued'`);
  const waiting = { appId, channels: ['email', 'sms'], before: now };
  await findOldestWaiting(pool, waiting);
  await alter(`INSERT INTO channel_pause (app_id, channel) VALUES ($1, 'email'), ($1, 'sms')`, [
    appId,
  ]);
  await findOldestWaiting(pool, waiting);
  await alter('DELETE FROM channel_pause');
  await alter(`UPDATE message SET integration_id = $1 WHERE state = 'queued'`, [integrations[0]]);
  await alter(`UPDATE integration SET state = 'paused' WHERE id = $1`, [integrations[0]]);
  await findOldestWaiting(pool, waiting);
  await alter(`UPDATE integration SET state = 'active' WHERE id = $1`, [integrations[0]]);
  await listWatched(pool, { appId, ids: null });
  await listWatched(pool, { appId, ids: [integrations[0]] });
  await listLiveChannels(pool, appId);
  await alter(
    `INSERT INTO worker_heartbeat (id, roles, version, started_at) VALUES ('alerts', '{relay}', '1', now())`,
  );
  await readRoleHeartbeats(pool);
  await alter(`DELETE FROM worker_heartbeat WHERE id = 'alerts'`);
  await alter(
    `INSERT INTO integration_count (integration_id, at, succeeded, failed) VALUES ($1, now() - interval '20 minutes', 3, 0)`,
    [integrations[0]],
  );
  await countAccepted(pool, { appId, from, to: now });
  await alter(
    `INSERT INTO receipt (id, app_id, integration_id, state, body) VALUES ($1, $2, $3, 'delivered', '{}')`,
    [newId(), appId, integrations[0]],
  );
  await readLastReceipts(pool, { appId, from });
}
