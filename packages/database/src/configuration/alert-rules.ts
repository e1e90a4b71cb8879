import { newId } from '@belfry/runtime';
import { type AlertKind, type AlertParams, maxAlertRules } from '@belfry/shared';
import { type Actor, type ActorInApp, changeWithAudit, writeAudit } from '../audit';
import { inTransaction, type Queryable } from '../transaction';

export type AlertRuleFields = {
  kind: AlertKind;
  channel: string | null;
  integrationId: string | null;
  params: AlertParams;
  sendBy: string | null;
  sendTo: string[];
  fallbackBy: string | null;
  fallbackTo: string[];
};

export type AlertRuleRow = AlertRuleFields & {
  id: string;
  disabledAt: Date | null;
  updatedAt: Date;
  /** Since when it fires; null if it does not. */
  firingSince: Date | null;
  /** The last facts of the open incident. */
  sentence: string | null;
};

/** With `updatedAt`, the rule is changed only if that is its last change. */
type AlertRuleChange = AlertRuleFields & { id: string; updatedAt?: Date };

const ruleColumns = `r.id, r.kind, r.channel, r.integration_id AS "integrationId", r.params, r.send_by AS "sendBy", r.send_to AS "sendTo",
  r.fallback_by AS "fallbackBy", r.fallback_to AS "fallbackTo", r.disabled_at AS "disabledAt", r.updated_at AS "updatedAt"`;

/** The alert rules of an app. */
export function createAlertRules(pool: Queryable) {
  async function list(appId: string, id: string | null = null): Promise<AlertRuleRow[]> {
    const { rows } = await pool.query<AlertRuleRow>(
      `SELECT ${ruleColumns}, i.fired_at AS "firingSince", i.sentence
       FROM alert_rule r LEFT JOIN alert_incident i ON i.rule_id = r.id AND i.resolved_at IS NULL
       WHERE r.app_id = $1 AND ($2::uuid IS NULL OR r.id = $2) ORDER BY r.created_at, r.id LIMIT ${maxAlertRules}`,
      [appId, id],
    );
    return rows;
  }

  return {
    list: (appId: string) => list(appId),

    async find(appId: string, id: string): Promise<AlertRuleRow | undefined> {
      return (await list(appId, id))[0];
    },

    create: (actor: Actor, appId: string, rule: AlertRuleFields) =>
      inTransaction(pool, (client) => insertRule(client, { ...actor, appId }, rule)),

    /**
     * Ends the open incident without a notification: it was about the former rule. False if there is no such rule, or if it
     * was changed after `updatedAt`.
     */
    change: (actor: Actor, appId: string, { id, updatedAt, ...rule }: AlertRuleChange) =>
      changeRule(pool, { ...actor, appId }, { id, updatedAt, rule }),

    setEnabled: (actor: Actor, appId: string, rule: { id: string; isEnabled: boolean }) =>
      setEnabled(pool, { ...actor, appId }, rule),

    /** Also removes its history. */
    async remove(actor: Actor, appId: string, id: string): Promise<boolean> {
      const createEntry = (before: { kind: string; params: AlertParams }) => {
        return { action: 'alert.removed', subject: id, before };
      };
      const work = async (client: Queryable) => {
        const { rows } = await client.query<{ kind: string; params: AlertParams }>(
          'DELETE FROM alert_rule WHERE id = $1 AND app_id = $2 RETURNING kind, params',
          [id, appId],
        );
        return rows[0];
      };
      return (await changeWithAudit(pool, { ...actor, appId }, createEntry, work)) !== undefined;
    },

    recordTest: (actor: Actor, appId: string, id: string) =>
      writeAudit(pool, { ...actor, appId }, { action: 'alert.tested', subject: id }),
  };
}

export type AlertRules = ReturnType<typeof createAlertRules>;

/** Locks the app's row while it counts the rules. */
async function insertRule(
  client: Queryable,
  actor: ActorInApp,
  rule: AlertRuleFields,
): Promise<{ id: string } | 'full'> {
  const { appId } = actor;
  await client.query('SELECT 1 FROM app WHERE id = $1 FOR NO KEY UPDATE', [appId]);
  const id = newId();
  const { rowCount } = await client.query(
    `INSERT INTO alert_rule (id, app_id, kind, channel, integration_id, params, send_by, send_to, fallback_by, fallback_to)
     SELECT $2, $1, $3, $4, $5, $6, $7, $8, $9, $10
     WHERE (SELECT count(*) FROM alert_rule WHERE app_id = $1) < ${maxAlertRules}`,
    [appId, id, ...listValues(rule)],
  );
  if (rowCount !== 1) return 'full';
  await writeAudit(client, actor, { action: 'alert.created', subject: id, change: toChange(rule) });
  return { id };
}

function listValues(rule: AlertRuleFields): unknown[] {
  const { kind, channel, integrationId, params, sendBy, sendTo, fallbackBy, fallbackTo } = rule;
  return [
    ...[kind, channel, integrationId, JSON.stringify(params)],
    ...[sendBy, sendTo, fallbackBy, fallbackTo],
  ];
}

/** Addresses are personal, so the audit log has only their number. */
function toChange({ sendTo, fallbackTo, ...rule }: AlertRuleFields) {
  return { ...rule, recipients: sendTo.length, fallbackRecipients: fallbackTo.length };
}

type ChangedRule = { id: string; updatedAt: Date | undefined; rule: AlertRuleFields };

async function changeRule(
  pool: Queryable,
  actor: ActorInApp,
  { id, updatedAt, rule }: ChangedRule,
): Promise<boolean> {
  const createEntry = (old: AlertRuleFields) => {
    return { action: 'alert.changed', subject: id, change: toChange(rule), before: toChange(old) };
  };
  const changed = await changeWithAudit(pool, actor, createEntry, async (client) => {
    const { rows } = await client.query<AlertRuleFields>(
      `UPDATE alert_rule SET kind = $3, channel = $4, integration_id = $5, params = $6, send_by = $7, send_to = $8,
         fallback_by = $9, fallback_to = $10, memory = '{}', updated_at = greatest(now(), alert_rule.updated_at + interval '1 ms')
       FROM (SELECT * FROM alert_rule WHERE id = $2 AND app_id = $1 FOR UPDATE) r
       WHERE alert_rule.id = r.id AND ($11::timestamptz IS NULL OR r.updated_at = $11)
       RETURNING r.kind, r.channel, r.integration_id AS "integrationId", r.params, r.send_by AS "sendBy", r.send_to AS "sendTo",
         r.fallback_by AS "fallbackBy", r.fallback_to AS "fallbackTo"`,
      [actor.appId, id, ...listValues(rule), updatedAt ?? null],
    );
    if (rows[0]) await endIncident(client, actor.appId, id);
    return rows[0];
  });
  return changed !== undefined;
}

async function setEnabled(
  pool: Queryable,
  actor: ActorInApp,
  { id, isEnabled }: { id: string; isEnabled: boolean },
): Promise<boolean> {
  const entry = { action: isEnabled ? 'alert.enabled' : 'alert.disabled', subject: id };
  const switched = await changeWithAudit(pool, actor, entry, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE alert_rule SET disabled_at = CASE WHEN $3::boolean THEN NULL ELSE coalesce(disabled_at, now()) END, memory = '{}',
         updated_at = greatest(now(), updated_at + interval '1 ms')
       WHERE id = $1 AND app_id = $2`,
      [id, actor.appId, isEnabled],
    );
    if (rowCount !== 1) return undefined;
    if (!isEnabled) await endIncident(client, actor.appId, id);
    return true;
  });
  return switched ?? false;
}

/** Ends the incident and its waiting notifications. */
async function endIncident(client: Queryable, appId: string, ruleId: string): Promise<void> {
  await client.query(
    `WITH ended AS (
       UPDATE alert_incident SET resolved_at = now() WHERE rule_id = $1 AND app_id = $2 AND resolved_at IS NULL RETURNING id
     )
     UPDATE alert_notification n SET outcome = 'not_sent', next_at = NULL, ended_at = now(), detail = $3
     FROM ended WHERE n.incident_id = ended.id AND n.app_id = $2 AND n.outcome = 'waiting'`,
    [ruleId, appId, 'An operator changed or disabled the rule.'],
  );
}
