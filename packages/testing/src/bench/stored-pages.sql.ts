/** The numbers of rows that the statements write. Arrays are indexed from 1 in SQL. */
export type StoredShape = {
  /** Single sends; with those of the bulks, about `messages` messages. */
  singles: number;
  /** Requests of these numbers of items, to one channel. */
  bulks: readonly number[];
  users: number;
  /** Unix milliseconds of the oldest request. All are spread evenly over `periodMs`. */
  startMs: number;
  periodMs: number;
};

/** Events of each app in the order of `eventChannels`. */
export const eventChannels: readonly (readonly string[])[] = [
  ['email', 'sms'],
  ['email', 'push'],
  ['sms'],
  ['email'],
  ['email'],
  ['push', 'in_app'],
  ['slack'],
];
export const eventNames = [
  'order_confirmed',
  'order_shipped',
  'login_code',
  'newsletter',
  'invoice',
  'chat',
  'incident',
];
const bulkEvent = 4;
/** How 20 requests in a row are shared among the events. */
const eventOfTwenty = [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 6, 7];
export const messagesPerSingle =
  eventOfTwenty.reduce((sum, event) => sum + (eventChannels[event - 1]?.length ?? 0), 0) / 20;
const recentShare = 0.02;
/** The newest single sends: their messages may still wait. */
export const countRecent = ({ singles }: StoredShape) => Math.round(singles * recentShare);

const list = (values: readonly (string | number)[], type: string) =>
  `ARRAY[${values.map((value) => `'${value}'`).join(', ')}]::${type}[]`;
const firstChannels = list(
  eventChannels.map(([first]) => first ?? ''),
  'text',
);
const secondChannels = list(
  eventChannels.map(([, second]) => second ?? ''),
  'text',
);

/** SQL expression: a UUID v7 of this time, with a tag of 3 digits and a number. */
const id = (ms: string, tag: string, number: string) =>
  `(lpad(to_hex(${ms}), 12, '0') || '7${tag}8000' || lpad(to_hex(${number}), 12, '0'))::uuid`;

/** SQL expression: the user of a number. A few users get many messages, most get a few. */
const user = (number: string, users: number) =>
  `floor(${users} * power((${number}::bigint * 2654435761 % 4294967296)::float8 / 4294967296, 3))::int`;

/** Rows `s`, one per single send with a number from $1 to $2. */
function selectSingles({ singles, users, startMs, periodMs }: StoredShape): string {
  return `(
  SELECT t.*, ${id('t.ms', '000', 't.n')} AS request_id, to_timestamp(t.ms / 1000.0) AS at FROM (
    SELECT n, ${startMs} + n::bigint * ${periodMs} / ${singles} AS ms, (${list(eventOfTwenty, 'int')})[n % 20 + 1] AS event,
      CASE WHEN n / 20 % 100 < 80 THEN 1 WHEN n / 20 % 100 < 95 THEN 2 ELSE 3 END AS app, ${user('n', users)} AS u
    FROM generate_series($1::int, $2::int) n
  ) t) s`;
}

/** SQL expression: an address of the user on the channel. */
const target = (
  channel: string,
  u: string,
) => `CASE ${channel} WHEN 'email' THEN 'user' || ${u} || '@example.com'
    WHEN 'sms' THEN '+1202' || lpad(${u}::text, 7, '0') WHEN 'slack' THEN 'C0' || lpad((${u} % 50)::text, 8, '0')
    WHEN 'push' THEN 'token-' || ${u} ELSE 'user-' || ${u} END`;

const recipient = (u: string) =>
  `'{"user_id":"user-' || ${u} || '","email":"user' || ${u} || '@example.com","mobile":"+1202' || lpad(${u}::text, 7, '0') || '"}'`;

/** Arrays of the ids of apps and, for each app, of its events and versions. */
export type StoredIds = {
  accountId: string;
  appIds: readonly string[];
  eventIds: readonly string[];
  versionIds: readonly string[];
  /** Integrations of the first app, by channel. */
  integrationIds: Record<string, string>;
  rareIntegrationId: string;
  needsAttentionId: string;
};

const atEvent = (ids: readonly string[], app: string, event: string) =>
  `(${list(ids, 'uuid')})[(${app} - 1) * ${eventChannels.length} + ${event}]`;
const atApp = ({ appIds }: StoredIds, app: string) => `(${list(appIds, 'uuid')})[${app}]`;

/** Statements with the first and last number of their rows. */
export function listSingleStatements(shape: StoredShape, ids: StoredIds): string[] {
  const singles = selectSingles(shape);
  const app = atApp(ids, 's.app');
  return [
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, planned_to, idempotency_key, created_at)
     SELECT s.request_id, '${ids.accountId}', ${app}, ${atEvent(ids.eventIds, 's.app', 's.event')},
       ${atEvent(ids.versionIds, 's.app', 's.event')}, 'single', 1, 1, 0,
       CASE WHEN s.n % 10 < 7 THEN 'key-' || s.n END, s.at FROM ${singles}`,
    `INSERT INTO request_item (request_id, item, recipient, data, skips, planned_at, metadata)
     SELECT s.request_id, 0, ${recipient('s.u')}, '{"name":"Ana","order":"A-' || s.n || '","total":12.5,"items":["rope","bell"]}',
       CASE WHEN s.n % 50000 = 7 THEN '{"sms":{"reason":"opted_out","detail":"The recipient opted out."}}'::jsonb
         WHEN s.n % 12 = 0 THEN '{"push":{"reason":"no_address","detail":"The recipient has no device."}}'::jsonb END,
       s.at, CASE WHEN s.n % 5 = 0 THEN '{"order":"A-' || s.n || '"}' END FROM ${singles}`,
    `INSERT INTO message (id, request_id, item, app_id, channel, target, ${messageColumns})
     SELECT m.id, m.request_id, 0, ${atApp(ids, 'm.app')}, m.channel, m.target, ${selectMessageColumns(shape, ids)}
     FROM ${selectSingleMessages(singles)}`,
    `INSERT INTO attempt (message_id, number, ${attemptColumns})
     SELECT m.id, k, ${selectAttemptColumns(ids)}
     FROM ${selectSingleMessages(singles)} CROSS JOIN generate_series(1, CASE WHEN m.h < 30 THEN 2 ELSE 1 END) k
     WHERE NOT (${isWaiting(shape)} OR ${wasSkipped})`,
    `INSERT INTO receipt (id, app_id, message_id, provider_message_id, state, body, received_at)
     SELECT ${id('m.ms + 4000', '900', 'm.n')}, ${atApp(ids, 'm.app')}, m.id, 'pm-' || m.id, 'delivered', '{"status":"delivered"}',
       m.at + interval '4 s'
     FROM ${selectSingleMessages(singles)} WHERE m.c = 0 AND m.n % 10 = 3 AND m.h BETWEEN 50 AND 699 AND NOT (${isWaiting(shape)})`,
  ];
}

/** Rows `m` with a hash \`h\` from 0 to 999, which decides the state. */
function selectSingleMessages(singles: string): string {
  return `(
  SELECT c.*, s.*, ${id('s.ms', "' || lpad(to_hex(c.c + 1), 3, '0') || '", 's.n')} AS id, ${target('c.channel', 's.u')} AS target,
    (s.n::bigint * 7919 + c.c * 331) % 1000 AS h, false AS is_bulk
  FROM ${singles} CROSS JOIN LATERAL (VALUES (0, (${firstChannels})[s.event]), (1, (${secondChannels})[s.event])) c (c, channel)
  WHERE c.channel <> '') m`;
}

const isWaiting = (shape: StoredShape) =>
  `NOT m.is_bulk AND m.n > ${shape.singles - countRecent(shape)} AND (m.channel = 'email' AND m.h % 4 < 2 OR m.channel = 'push' AND m.h % 4 < 3)`;
const wasSkipped = 'm.h BETWEEN 30 AND 44';
const messageColumns =
  'is_bulk, state, reason, waits, due_at, integration_id, attempts, created_at, expires_at, settled_at';

/** Push is paused; e-mail is scheduled, waits for an integration or is tried again. */
function selectMessageColumns(shape: StoredShape, ids: StoredIds): string {
  const waits = isWaiting(shape);
  const byChannel = Object.entries(ids.integrationIds)
    .map(([channel, integration]) => `WHEN '${channel}' THEN '${integration}'::uuid`)
    .join(' ');
  return `m.is_bulk,
    CASE WHEN ${waits} THEN 'queued' WHEN m.h < 30 THEN 'failed' WHEN ${wasSkipped} THEN 'skipped' WHEN m.h = 45 THEN 'unknown'
      WHEN m.h < 600 THEN 'delivered' WHEN m.h < 700 THEN 'read' ELSE 'sent' END,
    CASE WHEN ${waits} THEN NULL WHEN m.h < 10 THEN 'rejected_recipient' WHEN m.h < 15 THEN 'bounced'
      WHEN m.h = 17 AND m.n / 1000 % 20 = 3 THEN 'too_long' WHEN m.h < 30 THEN 'attempts_exhausted'
      WHEN ${wasSkipped} THEN 'suppressed' END,
    CASE WHEN ${waits} AND m.channel = 'email' THEN CASE WHEN m.h % 40 = 1 THEN 'retry' WHEN m.h % 4 = 1 THEN 'needs_attention' ELSE 'schedule' END END,
    CASE WHEN ${waits} THEN now() + CASE WHEN m.channel = 'email' THEN interval '1 hour' ELSE interval '-1 hour' END + m.h * interval '1 s' END,
    CASE WHEN m.app > 1 THEN NULL WHEN m.channel = 'email' AND m.n % 20000 = 6 THEN '${ids.rareIntegrationId}'::uuid
      WHEN ${waits} AND m.channel = 'email' AND m.h % 4 = 1 THEN '${ids.needsAttentionId}'::uuid
      ELSE CASE m.channel ${byChannel} END END,
    CASE WHEN ${waits} OR ${wasSkipped} THEN 0 WHEN m.h < 30 THEN 2 ELSE 1 END,
    m.at, CASE WHEN ${waits} THEN now() ELSE m.at END + interval '1 day', CASE WHEN NOT (${waits}) THEN m.at + interval '1 s' END`;
}

const attemptColumns =
  'opened_at, closed_at, worker, integration_id, provider, outcome, reason, provider_message_id, request, response';

function selectAttemptColumns(ids: StoredIds): string {
  return `m.at + k * interval '0.1 s', m.at + k * interval '0.1 s' + interval '0.15 s', 'worker-1', '${ids.integrationIds['email']}',
       CASE WHEN m.channel = 'email' AND m.n % 20000 = 6 THEN 'sendgrid' ELSE CASE m.channel WHEN 'email' THEN 'smtp' WHEN 'sms' THEN 'twilio'
         WHEN 'push' THEN 'fcm' WHEN 'slack' THEN 'slack' ELSE 'inbox' END END,
       CASE WHEN m.h < 30 THEN 'rejected' ELSE 'accepted' END, CASE WHEN m.h < 30 THEN 'rejected_recipient' END,
       CASE WHEN m.h >= 30 THEN 'pm-' || m.id END, '{"operation":"POST /messages","to":"..."}', '{"status":202}'`;
}

/** SQL expression: when bulk `b` of `bulks` was accepted. The last ones are the newest, and all are within 25 days. */
const bulkMs = ({ startMs, periodMs, bulks }: StoredShape, b: number) =>
  startMs + periodMs - Math.round(((bulks.length - b) * periodMs * 0.8) / bulks.length) + 1;

export function toBulkId(shape: StoredShape, b: number): string {
  const hex = bulkMs(shape, b).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7fff-8000-${b.toString(16).padStart(12, '0')}`;
}

/** Statements of one bulk of the first app. */
export function listBulkStatements(shape: StoredShape, ids: StoredIds, b: number): string[] {
  const items = shape.bulks[b] ?? 0;
  const [ms, requestId] = [bulkMs(shape, b), toBulkId(shape, b)];
  const messages = `(
  SELECT i AS n, i, 1 AS app, 'email' AS channel, ${ms}::bigint AS ms, to_timestamp(${ms} / 1000.0) AS at, true AS is_bulk,
    ${id(`${ms}::bigint`, '00b', `${b}::bigint * 1000000 + i`)} AS id, (i::bigint * 7919 + ${b}) % 1000 AS h,
    i % ${shape.users} AS u FROM generate_series(0, ${items - 1}) i) m`;
  return [
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, planned_to, created_at)
     VALUES ('${requestId}', '${ids.accountId}', '${ids.appIds[0]}', ${atEvent(ids.eventIds, '1', `${bulkEvent}`)},
       ${atEvent(ids.versionIds, '1', `${bulkEvent}`)}, 'bulk', ${items}, ${items}, ${items}, to_timestamp(${ms} / 1000.0))`,
    `INSERT INTO request_item (request_id, item, recipient, data)
     SELECT '${requestId}', m.i, ${recipient('m.u')}, '{"name":"Ana"}' FROM ${messages}`,
    `INSERT INTO message (id, request_id, item, app_id, channel, target, ${messageColumns})
     SELECT m.id, '${requestId}', m.i, '${ids.appIds[0]}', m.channel, ${target('m.channel', 'm.u')}, ${selectMessageColumns(shape, ids)}
     FROM ${messages}`,
    `INSERT INTO attempt (message_id, number, ${attemptColumns})
     SELECT m.id, 1, ${selectAttemptColumns(ids).replaceAll('k *', '1 *')} FROM ${messages} WHERE NOT (${wasSkipped})`,
  ];
}
