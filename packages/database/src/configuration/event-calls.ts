import type { Queryable } from '../transaction';

export type LastCall = {
  requestId: string;
  createdAt: Date;
  /** JSON, as stored. */
  data: string;
  recipient: string | null;
};

/** The data of the first item of a request. */
export type CallData =
  /** JSON, as stored; null when the call had no data. */
  | { isReadable: true; data: string | null }
  /** The data is sealed, erased or too large. */
  | { isReadable: false };

/** The data that callers sent for an event. Sealed data is not opened. */
export function createEventCalls(pool: Queryable) {
  return {
    /** The newest request of the event with readable data. */
    async findLastCall(appId: string, eventId: string): Promise<LastCall | undefined> {
      const { rows } = await pool.query<LastCall>(
        `SELECT r.id AS "requestId", r.created_at AS "createdAt", i.data, i.recipient
         FROM (SELECT id, created_at FROM request WHERE app_id = $1 AND event_id = $2 ORDER BY id DESC LIMIT ${lastCallsLookedAt}) r
         JOIN request_item i ON i.request_id = r.id AND i.item = 0
         WHERE i.data IS NOT NULL AND NOT starts_with(i.data, '"') ORDER BY r.id DESC LIMIT 1`,
        [appId, eventId],
      );
      return rows[0];
    },

    /** The data of the newest `maxCallsCompared` requests that are not tests. */
    async listCallData(appId: string, eventId: string): Promise<CallData[]> {
      const { rows } = await pool.query<CallRow>(callDataStatement, [appId, eventId]);
      return rows.map(({ data, hasNone }) =>
        data === null && !hasNone ? { isReadable: false } : { isReadable: true, data },
      );
    },
  };
}

const lastCallsLookedAt = 20;
export const maxCallsCompared = 50;
/** More than `maxCallsCompared`, because tests are among them. */
const requestsWalked = 200;
/** Limits the data of all compared calls to 3.2 MB. */
const maxDataBytes = 64 * 1024;

type CallRow = { data: string | null; hasNone: boolean };

/**
 * Data is absent when the call had none, when the event is sensitive, or when the user was erased. The scalar subquery looks
 * that up row by row: PostgreSQL may answer an EXISTS by reading the whole table.
 */
export const callDataStatement = `
SELECT CASE WHEN octet_length(i.data) <= ${maxDataBytes} AND NOT starts_with(i.data, '"') THEN i.data END AS data,
  i.data IS NULL AND NOT coalesce(
    (SELECT (v.definition ->> 'isSensitive')::bool FROM event_version v WHERE v.id = r.version_id), false)
    AND (SELECT m.id FROM message m WHERE m.request_id = r.id AND m.item = 0 AND starts_with(m.target, 'erased:') LIMIT 1)
    IS NULL AS "hasNone"
FROM (
  SELECT q.id, q.version_id, q.kind FROM request q WHERE q.app_id = $1 AND q.event_id = $2
  ORDER BY q.id DESC LIMIT ${requestsWalked}) r
JOIN request_item i ON i.request_id = r.id AND i.item = 0
WHERE r.kind <> 'test' ORDER BY r.id DESC LIMIT ${maxCallsCompared}`;
