import { newId } from '@belfry/runtime';
import type { Configured, Seed } from './twin-seed';

/** A firing rule with a sent notification. Returns the ID of the rule. */
export function createAlertRows(
  { tenant, mark, insert }: Seed,
  { integrationId }: Configured,
): string {
  const app_id = tenant.appId;
  const [rule_id, incident_id, now] = [newId(), newId(), new Date()];
  insert('alert_rule', {
    ...{ id: rule_id, app_id, kind: 'circuit_open', params: {}, integration_id: integrationId },
    ...{ send_by: integrationId, send_to: [`${mark}@example.com`] },
  });
  insert('alert_incident', {
    ...{ id: incident_id, rule_id, app_id, fired_at: now, remind_at: now },
    ...{ sentence: mark, is_quiet: false, integration_ids: [integrationId] },
  });
  insert('alert_notification', {
    ...{ id: newId(), incident_id, app_id, kind: 'fired', created_at: now },
    ...{ outcome: 'sent', detail: mark },
  });
  return rule_id;
}
