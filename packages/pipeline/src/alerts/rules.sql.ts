import type { Queryable } from '@belfry/database';
import type { AlertKind, AlertParams } from '@belfry/shared';
import type { OpenIncident } from './decide';

/** Why a rule fires now. */
export type Finding = {
  /** A sentence with figures, without personal data. */
  sentence: string;
  channel?: string;
  provider?: string;
  /** Integrations that do not work. */
  integrationIds: string[];
};

/** Times in Unix milliseconds that the next check of the rule needs, by channel or integration. */
export type Memory = Record<string, number>;

/** An enabled rule of an app that exists, with its open incident. */
export type EvaluatedRule = {
  id: string;
  appId: string;
  kind: AlertKind;
  channel: string | null;
  integrationId: string | null;
  params: AlertParams;
  memory: Memory;
  hasTarget: boolean;
  updatedAt: Date;
  incidentId: string | null;
  remindAt: Date | null;
  reminders: number | null;
  clearSince: Date | null;
  isQuiet: boolean | null;
};

/** A page of the rules of all apps, by ID. */
export async function listRules(
  database: Queryable,
  { after, limit }: { after: string; limit: number },
): Promise<EvaluatedRule[]> {
  const { rows } = await database.query<EvaluatedRule>(
    `SELECT r.id, r.app_id AS "appId", r.kind, r.channel, r.integration_id AS "integrationId", r.params, r.memory,
       (r.send_by IS NOT NULL OR r.fallback_by IS NOT NULL) AS "hasTarget", r.updated_at AS "updatedAt", i.id AS "incidentId",
       i.remind_at AS "remindAt", i.reminders, i.clear_since AS "clearSince", i.is_quiet AS "isQuiet"
     FROM alert_rule r JOIN app a ON a.id = r.app_id AND a.deleted_at IS NULL
     LEFT JOIN alert_incident i ON i.rule_id = r.id AND i.resolved_at IS NULL
     WHERE r.disabled_at IS NULL AND r.id > $1 ORDER BY r.id LIMIT $2`,
    [after, limit],
  );
  return rows;
}

/** Stores the memory of a rule, unless an operator saved the rule since. */
export async function writeMemory(
  database: Queryable,
  { id, appId, updatedAt }: EvaluatedRule,
  memory: Memory,
): Promise<void> {
  await database.query(
    'UPDATE alert_rule SET memory = $4 WHERE id = $1 AND app_id = $2 AND updated_at = $3',
    [id, appId, updatedAt, JSON.stringify(memory)],
  );
}

/** How many incidents of the rule opened since this time. */
export async function countIncidents(
  database: Queryable,
  { id, appId }: EvaluatedRule,
  since: Date,
): Promise<number> {
  const { rows } = await database.query<{ incidents: number }>(
    'SELECT count(*)::int AS incidents FROM alert_incident WHERE rule_id = $1 AND app_id = $2 AND fired_at > $3',
    [id, appId, since],
  );
  return rows[0]?.incidents ?? 0;
}

type NewIncident = { id: string; firedAt: Date; isQuiet: boolean; remindAt: Date };

/** False if the rule has an open incident, or an operator saved it since. */
export async function openIncident(
  database: Queryable,
  { id: ruleId, appId, updatedAt }: EvaluatedRule,
  { finding, ...incident }: NewIncident & { finding: Finding },
): Promise<boolean> {
  const { id, firedAt, isQuiet, remindAt } = incident;
  const { sentence, channel, provider, integrationIds } = finding;
  const { rowCount } = await database.query(
    `INSERT INTO alert_incident (id, rule_id, app_id, fired_at, sentence, channel, provider, integration_ids, is_quiet, remind_at)
     SELECT $3, r.id, r.app_id, $5, $6, $7, $8, $9, $10, $11 FROM alert_rule r
     WHERE r.id = $1 AND r.app_id = $2 AND r.updated_at = $4 AND r.disabled_at IS NULL FOR SHARE
     ON CONFLICT (rule_id) WHERE resolved_at IS NULL DO NOTHING`,
    [
      ...[ruleId, appId, id, updatedAt, firedAt, sentence, channel ?? null],
      ...[provider ?? null, integrationIds, isQuiet, remindAt],
    ],
  );
  return rowCount === 1;
}

type IncidentUpdate = {
  incident: OpenIncident;
  finding: Finding | undefined;
  clearSince: Date | null;
  remindAt: Date;
  reminders: number;
};

/** Stores the last facts of an open incident. Without a finding, it keeps the former ones. */
export async function updateIncident(
  database: Queryable,
  { id: ruleId, appId }: EvaluatedRule,
  { incident, finding, clearSince, remindAt, reminders }: IncidentUpdate,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE alert_incident SET clear_since = $4, remind_at = $5, reminders = $6, sentence = coalesce($7, sentence),
       channel = CASE WHEN $7::text IS NULL THEN channel ELSE $8 END,
       provider = CASE WHEN $7::text IS NULL THEN provider ELSE $9 END,
       integration_ids = coalesce($10, integration_ids)
     WHERE id = $1 AND rule_id = $2 AND app_id = $3 AND resolved_at IS NULL AND reminders = $11`,
    [
      ...[incident.id, ruleId, appId, clearSince, remindAt, reminders, finding?.sentence ?? null],
      ...[finding?.channel ?? null, finding?.provider ?? null, finding?.integrationIds ?? null],
      incident.reminders,
    ],
  );
  return rowCount === 1;
}

export async function resolveIncident(
  database: Queryable,
  { id: ruleId, appId }: EvaluatedRule,
  { incidentId, now }: { incidentId: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE alert_incident SET resolved_at = $4 WHERE id = $1 AND rule_id = $2 AND app_id = $3 AND resolved_at IS NULL`,
    [incidentId, ruleId, appId, now],
  );
  return rowCount === 1;
}
