import type { Difference } from './check-statement.fixture';

type Exception = {
  kind: Difference['kind'];
  /** Text that every returned row of another account must contain. */
  onlyRows?: string;
  reason: string;
  /** File and start of the statement; further parts after `…`. */
  statements: string[];
};

/** Statements that may depend on other accounts' rows. */
export const exceptions: Exception[] = [
  {
    kind: 'ids',
    reason: 'The relay queued these ids of messages and requests; no API caller names one',
    statements: [
      'deliver/claim.sql.ts: WITH c',
      'deliver/claim.sql.ts: WITH due',
      'deliver/contact-updates.sql.ts: INSERT INTO suppression',
      'deliver/contact-updates.sql.ts: UPDATE app_user',
      'deliver/contact-updates.sql.ts: UPDATE device',
      'relay/fan-out.sql.ts: SELECT id,',
      'relay/fan-out.sql.ts: SELECT item,',
      'relay/fan-out.sql.ts: WITH r',
      'relay/enqueue-due.sql.ts: UPDATE message',
      'deliver/requeue.sql.ts: WITH n',
      'deliver/record.sql.ts: WITH t',
      'relay/relay.sql.ts: WITH t',
      'accept/sealed-items.ts: UPDATE request_item i',
      'deliver/waiting-message.sql.ts: SELECT id,',
    ],
  },
  {
    kind: 'ids',
    reason: 'An earlier statement of the same call found the id by app or account',
    statements: [
      'configuration/app-users.ts: SELECT id',
      'configuration/event-versions.ts: INSERT INTO event_version',
      'configuration/event-versions.ts: UPDATE event SET',
      'configuration/event-versions.ts: UPDATE event e',
      'configuration/integration-health.ts: WITH counts',
      'operators/people.ts: UPDATE invitation i SET expires_at = now() WHERE i.created_by',
      'operators/people.ts: UPDATE operator SET disabled_at',
      'operators/people.ts: UPDATE operator SET role',
      'operate/request-log.ts: SELECT m.*',
      'operate/read-request.ts: SELECT DISTINCT ON (message_id)',
      'operate/read-messages.ts: SELECT a.message_id',
      'operate/read-request.ts: SELECT item, skips',
      'operate/read-request.ts: SELECT recipient,',
      'operate/read-messages.ts: SELECT m.id,',
      'operate/read-messages.ts: SELECT message_id',
      'operate/resend-runs.ts: SELECT n.channel,',
      'operate/resend-runs.ts: SELECT outcome,',
      'operate/resend-runs.ts: SELECT rm.message_id',
      'operate/resend-runs.ts: UPDATE resend_message',
      'devices.ts: DELETE FROM device WHERE id',
      'devices.ts: UPDATE device',
      'operate/inbox.ts: WITH changed',
    ],
  },
  {
    kind: 'ids',
    reason: 'The operator of the session, or one who has just given the password',
    statements: [
      'operators/sessions.ts: DELETE FROM operator_session',
      'operators/sessions.ts: SELECT encode(token_hash,',
      'operators/access.ts: UPDATE operator SET password_hash = $2',
      'operators/sessions.ts: UPDATE operator_session SET revoked_at = now() WHERE operator_id',
      'operators/totp.ts: DELETE FROM operator_totp',
      'operators/totp.ts: SELECT secret,',
      'operators/totp.ts: UPDATE operator_totp SET confirmed_at',
      'operators/totp.ts: UPDATE operator_totp SET last_step',
      'operators/totp.ts: UPDATE operator_totp SET recovery_codes',
    ],
  },
  {
    kind: 'ids',
    reason:
      'Ids from a published version, from a message of the app, or from a receipt with its secret',
    statements: [
      'configuration/integration-health.ts: WITH result',
      "configuration/integration-state.ts: UPDATE integration SET state = 'active'",
      "configuration/integration-state.ts: UPDATE integration SET state = 'needs_attention'",
      'look-ups.ts: SELECT id, app_id',
      'look-ups.ts: SELECT id, event_id',
    ],
  },
  {
    kind: 'ids',
    reason: 'The worker took the run or erasure, which names its app, and scans its rows',
    statements: [
      'relay/resend-by-filter.sql.ts: SELECT message_id',
      'relay/resend-by-filter.sql.ts: UPDATE resend SET',
      'relay/resend-by-filter.sql.ts: UPDATE resend_message',
      'operate/erase.sql.ts: DELETE FROM capture',
      'operate/erase.sql.ts: DELETE FROM inbox_item',
      'operate/erase.sql.ts: SELECT FROM message',
      'operate/erase.sql.ts: SELECT FROM request',
      'operate/erase.sql.ts: SELECT id,',
      'operate/erase.sql.ts: UPDATE attempt',
      'operate/erase.sql.ts: UPDATE erasure',
      'operate/erase.sql.ts: UPDATE message m SET expires_at',
      'operate/erase.sql.ts: UPDATE message m SET state',
      'operate/erase.sql.ts: UPDATE message m SET target',
      'operate/erase.sql.ts: UPDATE receipt',
      'operate/erase.sql.ts: UPDATE request_item',
      'operate/erase.sql.ts: WITH planned',
      'operate/erase.sql.ts: WITH walked',
      'operate/erase.ts: SELECT id,',
      'operate/erase.ts: UPDATE erasure',
    ],
  },
  {
    kind: 'ids',
    reason: 'Upkeep scans the requests of every account, and key rotation their sealed texts',
    statements: [
      'relay/remove-requests.sql.ts: DELETE FROM attempt',
      'relay/remove-requests.sql.ts: DELETE FROM message',
      'relay/remove-requests.sql.ts: DELETE FROM receipt',
      'relay/remove-requests.sql.ts: DELETE FROM request WHERE',
      'relay/remove-requests.sql.ts: DELETE FROM request_item',
      'relay/remove-requests.sql.ts: SELECT id,',
      'relay/remove-requests.sql.ts: SELECT r.id',
      'operate/rotate-keys.ts: UPDATE api_key',
      'operate/rotate-keys.ts: UPDATE app_user',
      'operate/rotate-keys.ts: UPDATE integration',
      'operate/rotate-keys.ts: UPDATE operator_totp',
      'operate/rotate-keys.ts: UPDATE request_item SET data',
      'operate/rotate-keys.ts: UPDATE request_item SET override',
      'operate/rotate-keys.ts: UPDATE request_item SET recipient',
    ],
  },
  {
    kind: 'ids',
    reason: 'Only the command line and the demo call it, with ids that they created',
    statements: [
      'operate/read-request.ts: SELECT r.id … WHERE r.id = $1 AND true',
      'operate/live-feed.sql.ts: SELECT "public"."message"',
      'operate/live-feed.sql.ts: SELECT "public"."request_item"',
    ],
  },
  {
    kind: 'ids',
    reason: 'Finds the account of a request by the id of its API key',
    statements: [
      'configuration/api-keys.ts: UPDATE api_key SET last_used_at',
      'look-ups.ts: SELECT account_id, secret_hash',
    ],
  },
  {
    kind: 'ids',
    reason: 'The id only limits a scan over every account',
    statements: [
      'relay/count-minutes.sql.ts: WITH r',
      'relay/relay.sql.ts: SELECT id',
      'relay/storage-slices.sql.ts: (SELECT id::text',
      'relay/storage-slices.sql.ts: WITH new',
    ],
  },
  {
    kind: 'ids',
    reason: 'Returns the requested id and that it does not match',
    statements: [
      'operate/request-log.ts: SELECT w.id, … FROM (SELECT id AS id FROM request WHERE id =',
    ],
  },
  {
    kind: 'presence',
    reason: 'The relay and upkeep serve every account',
    statements: [
      'relay/count-minutes.sql.ts: UPDATE counted_minute c SET counted_at',
      'relay/count-minutes.sql.ts: WITH old',
      'relay/count-minutes.sql.ts: WITH r',
      'relay/resend-by-filter.sql.ts: SELECT r.id,',
      'deliver/delivery-counts.sql.ts: DELETE FROM',
      'configuration/integration-health.ts: DELETE FROM integration_count',
      'operate/erase.ts: SELECT id,',
      'relay/enqueue-due.sql.ts: SELECT channel,',
      'relay/enqueue-due.sql.ts: WITH RECURSIVE',
      'accept/idempotency.sql.ts: DELETE FROM',
      'relay/relay.sql.ts: SELECT id',
      'relay/relay.sql.ts: SELECT id,',
      'relay/relay.sql.ts: SELECT m.id,',
      'relay/relay.sql.ts: WITH waiting',
      'relay/remove-requests.sql.ts: SELECT id,',
      'accept/sealed-items.ts: UPDATE request_item u',
      'status-queries.ts: WITH RECURSIVE',
      'relay/retention.sql.ts: DELETE FROM capture WHERE id IN ( SELECT c.id',
      'relay/retention.sql.ts: DELETE FROM capture WHERE id IN ( SELECT id',
      'relay/retention.sql.ts: DELETE FROM inbox_item',
      'relay/retention.sql.ts: DELETE FROM receipt',
      'relay/retention.sql.ts: DELETE FROM resend',
    ],
  },
  {
    kind: 'presence',
    reason: 'Counts the storage of all accounts',
    statements: [
      'operate/account-storage.sql.ts: SELECT EXISTS',
      'operate/account-storage.sql.ts: SELECT coalesce(sum(stored_bytes),',
      'operate/account-storage.sql.ts: SELECT id, … FROM account WHERE coalesce(',
      'operate/account-storage.sql.ts: SELECT id, … FROM account WHERE name',
      'operate/account-storage.sql.ts: UPDATE account SET is_storage_full',
      'relay/storage-slices.sql.ts: (SELECT id::text',
      'relay/storage-slices.sql.ts: WITH new',
    ],
  },
  {
    kind: 'presence',
    reason: 'Reseals every text for the key ring of the installation',
    statements: [
      'operate/rotate-keys.ts: SELECT c.key_id,',
      'operate/rotate-keys.ts: SELECT id AS cursor',
      'operate/rotate-keys.ts: SELECT id::text … contact #>>',
      'operate/rotate-keys.ts: SELECT id::text … credentials AS sealed',
      'operate/rotate-keys.ts: SELECT operator_id::text',
      'operate/rotate-keys.ts: SELECT request_id … from data)',
      'operate/rotate-keys.ts: SELECT request_id … from override)',
      'operate/rotate-keys.ts: SELECT request_id … recipient::jsonb',
    ],
  },
  {
    kind: 'presence',
    reason: 'No operator is signed in yet, and the address may be in several accounts',
    statements: [
      'operators/access.ts: SELECT FROM operator LIMIT',
      'operators/access.ts: SELECT id FROM account',
      'operators/access.ts: SELECT o.id, … WHERE o.email',
      'operators/reset-operator.ts: SELECT o.id, … WHERE lower(o.email)',
    ],
  },
  {
    kind: 'presence',
    reason: 'The gateway keeps the ids of all keys and apps, so that it looks up no unknown id',
    statements: [
      'look-ups.ts: SELECT string_agg(id::text, … FROM api_key',
      'look-ups.ts: SELECT string_agg(id::text, … FROM app',
    ],
  },
  {
    kind: 'presence',
    reason: 'Only the command line and the demo call it',
    statements: [
      'demo.ts: SELECT "public"."account"',
      'operate/doctor.sql.ts: SELECT "public"."integration"',
    ],
  },
  {
    kind: 'presence',
    reason: 'Slack revoked a token and signed that: applies to every account that has it',
    statements: ['configuration/slack-installs.ts: UPDATE integration SET state'],
  },
  {
    kind: 'presence',
    reason:
      'The index of user ids has no app, so it scans requests of others and returns that they do not match',
    onlyRows: '"isMatch":false',
    statements: [
      'operate/request-log.ts: SELECT w.id, … FROM message WHERE app_id = $1::uuid AND lower(message.target)',
    ],
  },
  {
    kind: 'ids',
    reason: 'The same scan, from a cursor',
    onlyRows: '"isMatch":false',
    statements: [
      'operate/request-log.ts: SELECT w.id, … FROM message WHERE app_id = $1::uuid AND lower(message.target)',
    ],
  },
  {
    kind: 'presence',
    reason:
      'The index of user ids has no app, so it scans requests of others and returns that they are not theirs',
    onlyRows: '"isTheirs":false',
    statements: ['operate/erase.sql.ts: WITH walked AS (SELECT request_id, item FROM request_item'],
  },
];

/** Files whose statements are not checked here. */
export const untried: Record<string, string> = {
  'migrate.ts': 'creates the tables before there is an account',
  'packages/embedded/src/databases.ts': 'creates whole databases for local starts and tests',
};
