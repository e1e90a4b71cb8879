import {
  type IntegrationHealth,
  type IntegrationRow,
  joinHealth,
  type Queryable,
  selectHealth,
} from '@belfry/database';
import type { AlertKind, AlertNoticeKind, AlertParams } from '@belfry/shared';
import { isPastRetention } from '../relay/past-retention.sql';

type NewNotification = {
  id: string;
  appId: string;
  incidentId: string;
  kind: AlertNoticeKind;
  now: Date;
};

/** Makes a notification due now. */
export async function addNotification(
  database: Queryable,
  { id, appId, incidentId, kind, now }: NewNotification,
): Promise<void> {
  await database.query(
    `INSERT INTO alert_notification (id, incident_id, app_id, kind, next_at, created_at) VALUES ($1, $2, $3, $4, $5, $5)`,
    [id, incidentId, appId, kind, now],
  );
}

/** A claimed notification with its incident, rule and app. */
export type Notice = {
  id: string;
  appId: string;
  appName: string;
  noticeKind: AlertNoticeKind;
  /** This try included. */
  tries: number;
  firedAt: Date;
  resolvedAt: Date | null;
  sentence: string;
  channel: string | null;
  provider: string | null;
  /** Integrations that do not work. */
  integrationIds: string[];
  ruleKind: AlertKind;
  params: AlertParams;
  watchedChannel: string | null;
  sendBy: string | null;
  sendTo: string[];
  fallbackBy: string | null;
  fallbackTo: string[];
};

/** Takes due notifications for the time of a lease, after which another process may take them. */
export async function claimNotifications(
  database: Queryable,
  { now, leaseMs, limit }: { now: Date; leaseMs: number; limit: number },
): Promise<Notice[]> {
  const { rows } = await database.query<Notice>(
    `WITH claimed AS (
       UPDATE alert_notification SET next_at = $1::timestamptz + $2::float8 * interval '1 ms', tries = tries + 1
       WHERE id IN (SELECT id FROM alert_notification WHERE outcome = 'waiting' AND next_at <= $1 ORDER BY next_at LIMIT $3
         FOR UPDATE SKIP LOCKED)
       RETURNING id, incident_id, app_id, kind, tries
     )
     SELECT c.id, c.app_id AS "appId", a.name AS "appName", c.kind AS "noticeKind", c.tries, i.fired_at AS "firedAt",
       i.resolved_at AS "resolvedAt", i.sentence, i.channel, i.provider, i.integration_ids AS "integrationIds",
       r.kind AS "ruleKind", r.params, r.channel AS "watchedChannel", r.send_by AS "sendBy", r.send_to AS "sendTo",
       r.fallback_by AS "fallbackBy", r.fallback_to AS "fallbackTo"
     FROM claimed c JOIN alert_incident i ON i.id = c.incident_id JOIN alert_rule r ON r.id = i.rule_id JOIN app a ON a.id = c.app_id`,
    [now, leaseMs, limit],
  );
  return rows;
}

/** An integration that may send, with its health. */
export type SendingIntegration = IntegrationRow & IntegrationHealth;

export async function listSending(
  database: Queryable,
  { appId, ids }: { appId: string; ids: readonly string[] },
): Promise<SendingIntegration[]> {
  const { rows } = await database.query<SendingIntegration>(
    `SELECT i.id, i.app_id AS "appId", i.name, i.channel, i.provider, i.settings, i.credentials, i.state, i.updated_at AS "updatedAt",
       ${selectHealth}
     FROM integration i ${joinHealth}
     WHERE i.app_id = $1 AND i.deleted_at IS NULL AND i.id = ANY ($2::uuid[])`,
    [appId, ids],
  );
  return rows;
}

export type TryResult = {
  outcome: 'waiting' | 'sent' | 'failed' | 'not_sent';
  nextAt: Date | null;
  sentBy: string | null;
  detail: string | null;
};

/** Records a try, unless another process made a later one. */
export async function recordTry(
  database: Queryable,
  { id, appId, tries }: Pick<Notice, 'id' | 'appId' | 'tries'>,
  { outcome, nextAt, sentBy, detail, now }: TryResult & { now: Date },
): Promise<void> {
  await database.query(
    `UPDATE alert_notification SET outcome = $4, next_at = $5, sent_by = $6, detail = $7, ended_at = $8
     WHERE id = $1 AND app_id = $2 AND tries = $3 AND outcome = 'waiting'`,
    [id, appId, tries, outcome, nextAt, sentBy, detail, outcome === 'waiting' ? null : now],
  );
}

/** Removes incidents that ended long ago, with their notifications. */
export async function removeOldIncidents(
  database: Queryable,
  { retentionDays, limit }: { retentionDays: number; limit: number },
): Promise<number> {
  const { rowCount } = await database.query(
    `DELETE FROM alert_incident WHERE id IN (
       SELECT i.id FROM alert_incident i JOIN app a ON a.id = i.app_id
       WHERE ${isPastRetention('i.resolved_at', '$1')} LIMIT $2)`,
    [retentionDays, limit],
  );
  return rowCount ?? 0;
}
