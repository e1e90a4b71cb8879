import type { AlertKind, AlertNoticeKind, AlertOutcome, AlertParams } from '@belfry/shared';
import type pg from 'pg';

type AlertNotificationRow = {
  id: string;
  kind: AlertNoticeKind;
  outcome: AlertOutcome;
  tries: number;
  sentBy: string | null;
  detail: string | null;
  createdAt: Date;
  endedAt: Date | null;
};

export type AlertIncidentRow = {
  id: string;
  ruleId: string;
  kind: AlertKind;
  params: AlertParams;
  firedAt: Date;
  resolvedAt: Date | null;
  sentence: string;
  channel: string | null;
  provider: string | null;
  isQuiet: boolean;
  notifications: AlertNotificationRow[];
};

const incidentsListed = 50;

/** The newest incidents of the app, with their notifications. An incident has at most one reminder a day after the first two. */
export async function listAlertIncidents(
  pool: pg.Pool,
  appId: string,
): Promise<AlertIncidentRow[]> {
  const { rows } = await pool.query<Omit<AlertIncidentRow, 'notifications'>>(
    `SELECT i.id, i.rule_id AS "ruleId", r.kind, r.params, i.fired_at AS "firedAt", i.resolved_at AS "resolvedAt", i.sentence,
       i.channel, i.provider, i.is_quiet AS "isQuiet"
     FROM alert_incident i JOIN alert_rule r ON r.id = i.rule_id
     WHERE i.app_id = $1 ORDER BY i.id DESC LIMIT ${incidentsListed}`,
    [appId],
  );
  if (rows.length === 0) return [];
  const notifications = await listNotifications(
    pool,
    appId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...row,
    notifications: notifications.flatMap(({ incidentId, ...each }) =>
      incidentId === row.id ? [each] : [],
    ),
  }));
}

const notificationsListed = 500;

async function listNotifications(pool: pg.Pool, appId: string, incidentIds: string[]) {
  const { rows } = await pool.query<AlertNotificationRow & { incidentId: string }>(
    `SELECT id, incident_id AS "incidentId", kind, outcome, tries, sent_by AS "sentBy", detail, created_at AS "createdAt",
       ended_at AS "endedAt"
     FROM alert_notification WHERE app_id = $1 AND incident_id = ANY ($2::uuid[]) ORDER BY id DESC LIMIT ${notificationsListed}`,
    [appId, incidentIds],
  );
  return rows;
}
