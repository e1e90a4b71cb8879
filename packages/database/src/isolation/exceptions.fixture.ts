import type { Difference } from './check-statement.fixture';

type Exception = {
  kind: Difference['kind'];
  /** What stands in each row of another account that it may return. */
  onlyRows?: string;
  reason: string;
  /** File and beginning of the statement; further words behind `…`. */
  statements: string[];
};

/** Statements that other accounts' rows may make a difference to. */
export const exceptions: Exception[] = [
  {
    kind: 'ids',
    reason: 'Ids of messages and requests that the relay put into the queue; no caller names one',
    statements: [
      'claim-clear.ts: WITH c',
      'claim.ts: WITH due',
      'data-changes.ts: INSERT INTO suppression',
      'data-changes.ts: UPDATE app_user',
      'data-changes.ts: UPDATE device',
      'fan-out-queries.ts: SELECT id,',
      'fan-out-queries.ts: SELECT item,',
      'fan-out-queries.ts: WITH r',
      'feed-waiting.ts: UPDATE message',
      'put-back.ts: WITH t',
      'record.ts: WITH t',
      'relay-queries.ts: WITH t',
      'sealed-items.ts: UPDATE request_item i',
      'waiting-facts.ts: SELECT id,',
    ],
  },
  {
    kind: 'ids',
    reason: 'A statement before it in the same call found the id by app or account',
    statements: [
      'dashboard/app-users.ts: SELECT id',
      'dashboard/event-versions.ts: INSERT INTO event_version',
      'dashboard/event-versions.ts: UPDATE event SET',
      'dashboard/event-versions.ts: UPDATE event e',
      'dashboard/message-changes.ts: SELECT v.id,',
      'dashboard/people.ts: UPDATE invitation i SET expires_at = now() WHERE i.created_by',
      'dashboard/people.ts: UPDATE operator SET disabled_at',
      'dashboard/people.ts: UPDATE operator SET role',
      'dashboard/request-log.ts: SELECT m.*',
      'dashboard/request-story.ts: SELECT DISTINCT ON (message_id)',
      'dashboard/request-story.ts: SELECT a.message_id',
      'dashboard/request-story.ts: SELECT i.recipient,',
      'dashboard/request-story.ts: SELECT m.id,',
      'dashboard/request-story.ts: SELECT message_id',
      'dashboard/resend-runs.ts: SELECT n.channel,',
      'dashboard/resend-runs.ts: SELECT outcome,',
      'dashboard/resend-runs.ts: SELECT rm.message_id',
      'dashboard/resend-runs.ts: UPDATE resend_message',
      'devices.ts: DELETE FROM device WHERE id',
      'devices.ts: UPDATE device',
      'doctor-queries.ts: SELECT "public"."attempt"',
      'doctor-queries.ts: SELECT "public"."event"."id"',
      'doctor-queries.ts: SELECT "public"."event_version"',
      'doctor-queries.ts: SELECT "public"."message"',
      'doctor-queries.ts: SELECT "public"."receipt"',
      'doctor-queries.ts: SELECT "public"."request_item"',
      'inbox.ts: WITH changed',
      'operators.ts: UPDATE "public"."operator_session"',
    ],
  },
  {
    kind: 'ids',
    reason: 'The operator of the session, or the one who has just given the password',
    statements: [
      'dashboard/access.ts: DELETE FROM operator_session',
      'dashboard/access.ts: SELECT encode(token_hash,',
      'dashboard/access.ts: UPDATE operator SET password_hash = $2',
      'dashboard/access.ts: UPDATE operator_session SET revoked_at = now() WHERE operator_id',
    ],
  },
  {
    kind: 'ids',
    reason:
      'Ids that a published version or a message of the app holds, or a receipt with its secret',
    statements: [
      'integrations.ts: SELECT id',
      "integrations.ts: UPDATE integration SET state = 'active'",
      "integrations.ts: UPDATE integration SET state = 'needs_attention'",
      'look-ups.ts: SELECT id, app_id',
      'look-ups.ts: SELECT id, event_id',
    ],
  },
  {
    kind: 'ids',
    reason:
      'The worker took the run or the erasure, which names its app, and walks what belongs to it',
    statements: [
      'carry-out-resend.ts: SELECT t.message_id,',
      'carry-out-resend.ts: UPDATE resend SET',
      'carry-out-resend.ts: UPDATE resend_message',
      'erase-chunk.ts: DELETE FROM capture',
      'erase-chunk.ts: DELETE FROM inbox_item',
      'erase-chunk.ts: SELECT FROM message',
      'erase-chunk.ts: SELECT FROM request',
      'erase-chunk.ts: SELECT id,',
      'erase-chunk.ts: UPDATE attempt',
      'erase-chunk.ts: UPDATE erasure',
      'erase-chunk.ts: UPDATE message m SET expires_at',
      'erase-chunk.ts: UPDATE message m SET state',
      'erase-chunk.ts: UPDATE message m SET target',
      'erase-chunk.ts: UPDATE receipt',
      'erase-chunk.ts: UPDATE request_item',
      'erase-chunk.ts: WITH planned',
      'erase-chunk.ts: WITH walked',
      'erase-user.ts: SELECT id,',
      'erase-user.ts: UPDATE erasure',
    ],
  },
  {
    kind: 'ids',
    reason: 'Upkeep walks the requests, and key rotation the sealed texts, of every account',
    statements: [
      'remove-requests.ts: DELETE FROM attempt',
      'remove-requests.ts: DELETE FROM message',
      'remove-requests.ts: DELETE FROM receipt',
      'remove-requests.ts: DELETE FROM request WHERE',
      'remove-requests.ts: DELETE FROM request_item',
      'remove-requests.ts: SELECT id,',
      'remove-requests.ts: SELECT r.id',
      'rotate-keys.ts: UPDATE api_key',
      'rotate-keys.ts: UPDATE app_user',
      'rotate-keys.ts: UPDATE integration',
      'rotate-keys.ts: UPDATE request_item SET data',
      'rotate-keys.ts: UPDATE request_item SET override',
      'rotate-keys.ts: UPDATE request_item SET recipient',
    ],
  },
  {
    kind: 'ids',
    reason: 'Only the command line and the demo call it, with ids that they made',
    statements: [
      'configuration.ts: SELECT 1 FROM event',
      'configuration.ts: SELECT MAX("number")',
      'configuration.ts: UPDATE "public"."event"',
      'demo.ts: SELECT "public"."api_key"',
      'demo.ts: SELECT "public"."app"',
      'demo.ts: SELECT "public"."event"',
      'doctor-queries.ts: SELECT "public"."request"."id", … ("public"."request"."id" = $1 AND 1=1)',
      'feed-queries.ts: SELECT "public"."message"',
      'feed-queries.ts: SELECT "public"."request_item"',
    ],
  },
  {
    kind: 'ids',
    reason: 'It finds the account of a call, whose key has that id',
    statements: [
      'dashboard/account-keys.ts: UPDATE api_key SET last_used_at',
      'look-ups.ts: SELECT account_id, secret_hash',
    ],
  },
  {
    kind: 'ids',
    reason: 'An id that only bounds a walk over every account',
    statements: [
      'relay-queries.ts: SELECT id',
      'storage-slices.ts: (SELECT id::text',
      'storage-slices.ts: WITH new',
    ],
  },
  {
    kind: 'ids',
    reason: 'It returns the id that was asked for, and that it is no match',
    statements: [
      'dashboard/request-log.ts: SELECT w.id, … FROM (SELECT id AS id FROM request WHERE id =',
    ],
  },
  {
    kind: 'presence',
    reason: 'The relay and upkeep serve every account',
    statements: [
      'carry-out-resend.ts: SELECT r.id,',
      'delivery-counts.ts: DELETE FROM',
      'erase-user.ts: SELECT id,',
      'feed-waiting.ts: SELECT channel,',
      'feed-waiting.ts: WITH RECURSIVE',
      'idempotency-keys.ts: DELETE FROM',
      'relay-queries.ts: SELECT id',
      'relay-queries.ts: SELECT id,',
      'relay-queries.ts: SELECT m.id,',
      'relay-queries.ts: WITH waiting',
      'remove-requests.ts: SELECT id,',
      'sealed-items.ts: UPDATE request_item u',
      'status-queries.ts: WITH RECURSIVE',
      'upkeep.ts: DELETE FROM capture WHERE id IN ( SELECT c.id',
      'upkeep.ts: DELETE FROM capture WHERE id IN ( SELECT id',
      'upkeep.ts: DELETE FROM inbox_item',
      'upkeep.ts: DELETE FROM receipt',
      'upkeep.ts: DELETE FROM resend',
    ],
  },
  {
    kind: 'presence',
    reason: 'It counts what accounts store',
    statements: [
      'account-storage.ts: SELECT EXISTS',
      'account-storage.ts: SELECT coalesce(sum(stored_bytes),',
      'account-storage.ts: SELECT id, … FROM account WHERE coalesce(',
      'account-storage.ts: SELECT id, … FROM account WHERE name',
      'account-storage.ts: UPDATE account SET is_storage_full',
      'storage-slices.ts: (SELECT id::text',
      'storage-slices.ts: WITH new',
    ],
  },
  {
    kind: 'presence',
    reason: 'It seals every text anew for the key ring of the installation',
    statements: [
      'rotate-keys.ts: SELECT c.key_id,',
      'rotate-keys.ts: SELECT id AS cursor',
      'rotate-keys.ts: SELECT id::text … contact #>>',
      'rotate-keys.ts: SELECT id::text … credentials AS sealed',
      'rotate-keys.ts: SELECT request_id … from data)',
      'rotate-keys.ts: SELECT request_id … from override)',
      'rotate-keys.ts: SELECT request_id … recipient::jsonb',
    ],
  },
  {
    kind: 'presence',
    reason: 'Nobody is signed in yet, and the address may be in several accounts',
    statements: [
      'dashboard/access.ts: SELECT 1 FROM operator LIMIT',
      'dashboard/access.ts: SELECT id FROM account',
      'dashboard/access.ts: SELECT o.id, … WHERE o.email',
      'operators.ts: SELECT "public"."operator" … ILIKE $1 AND "public"."operator"."disabled_at" IS NULL)',
    ],
  },
  {
    kind: 'presence',
    reason: 'The gateway keeps the ids of every key and app, so that it need not look for others',
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
      'doctor-queries.ts: SELECT "public"."integration"',
    ],
  },
  {
    kind: 'presence',
    reason: 'Slack took a token back, and signed that: whichever accounts have it',
    statements: ['slack-installs.ts: UPDATE integration SET state'],
  },
  {
    kind: 'presence',
    reason:
      'The index of user ids has no app: it walks requests of others, and says that they are no match',
    onlyRows: '"isMatch":false',
    statements: [
      'dashboard/request-log.ts: SELECT w.id, … FROM message WHERE app_id = $1::uuid AND lower(message.target)',
    ],
  },
  {
    kind: 'presence',
    reason:
      'The index of user ids has no app: it walks requests of others, and says whose they are',
    onlyRows: '"isTheirs":false',
    statements: ['erase-chunk.ts: WITH walked AS (SELECT request_id, item FROM request_item'],
  },
];

/** Files whose statements are not tried here. */
export const untried: Record<string, string> = {
  'migrate.ts': 'it makes the tables, before there is an account',
  'packages/embedded/src/databases.ts': 'it makes whole databases for local starts and tests',
};
