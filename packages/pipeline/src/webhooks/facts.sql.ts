import { isErased } from '../operate/is-erased.sql';

/**
 * SQL for the `WebhookFacts` of a delivery `d`: JSON, or NULL if the rows of its event are gone. Each look-up follows a primary
 * key, and names the app of the delivery.
 */
export function selectWebhookFacts(d: string): string {
  return `CASE
    WHEN starts_with(${d}.type, 'message.') THEN (${messageFacts(d)})
    WHEN ${d}.type = 'request.completed' THEN (${requestFacts(d)})
    WHEN ${d}.type = 'device.disabled' THEN (${deviceFacts(d)})
    WHEN ${d}.type = 'address.suppressed' THEN (${addressFacts(d)})
    WHEN ${d}.type = 'user.unsubscribed' THEN (${userFacts(d)})
    WHEN ${d}.type = 'integration.needs_attention' THEN (${integrationFacts(d)})
  END`;
}

// A member that is added here is in the body of the webhook, unless buildWebhookEvent leaves it out. An erased item has
// no recipient, and its message no address.
const messageFacts = (d: string) => `
      SELECT jsonb_build_object(
        'event', ev.name,
        'user_id', i.recipient::jsonb ->> 'user_id',
        'target', CASE WHEN NOT ${isErased('m')} THEN m.target END,
        'metadata', i.metadata::jsonb,
        'is_sensitive', (v.definition ->> 'isSensitive')::boolean,
        'test', nullif(r.kind = 'test', false),
        'traceparent', r.traceparent)
      FROM request r
      JOIN event ev ON ev.id = r.event_id
      JOIN event_version v ON v.id = r.version_id
      LEFT JOIN request_item i ON i.request_id = r.id AND i.item = (${d}.data ->> 'item')::int
      LEFT JOIN message m ON m.id = ${d}.message_id AND m.app_id = ${d}.app_id
      WHERE r.id = (${d}.data ->> 'request_id')::uuid AND r.app_id = ${d}.app_id`;

const requestFacts = (d: string) => `
      SELECT jsonb_build_object('event', ev.name, 'traceparent', r.traceparent) FROM request r JOIN event ev ON ev.id = r.event_id
      WHERE r.id = (${d}.data ->> 'request_id')::uuid AND r.app_id = ${d}.app_id`;

const deviceFacts = (d: string) => `
      SELECT jsonb_build_object('user_id', u.user_id, 'platform', dv.platform)
      FROM device dv JOIN app_user u ON u.id = dv.user_sid
      WHERE dv.id = (${d}.data ->> 'device_sid')::uuid AND dv.app_id = ${d}.app_id`;

const addressFacts = (d: string) => `
      SELECT jsonb_build_object('target', s.recipient, 'sender', nullif(s.sender, '')) FROM suppression s
      WHERE s.id = (${d}.data ->> 'suppression_id')::uuid AND s.app_id = ${d}.app_id`;

const userFacts = (d: string) => `
      SELECT jsonb_build_object('user_id', u.user_id) FROM app_user u
      WHERE u.id = (${d}.data ->> 'user_sid')::uuid AND u.app_id = ${d}.app_id`;

const integrationFacts = (d: string) => `
      SELECT jsonb_build_object('name', g.name) FROM integration g
      WHERE g.id = (${d}.data ->> 'integration_id')::uuid AND g.app_id = ${d}.app_id AND g.deleted_at IS NULL`;
