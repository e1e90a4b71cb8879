/** Differences between a declared type and the schema that cannot occur. */
export const typeExceptions: { statement: string; difference: string; reason: string }[] = [
  {
    statement: 'relay/relay.sql.ts: SELECT id, app_id, is_bulk … AND has_job',
    difference: 'job_id may be null',
    reason: 'has_job is generated from job_id',
  },
  {
    statement: 'operate/read-messages.ts: SELECT message_id … FROM receipt WHERE message_id =',
    difference: 'messageId may be null',
    reason: 'Only receipts of these messages are read',
  },
  {
    statement: 'operate/write-generations.sql.ts: INSERT INTO message',
    difference: 'resendOf may be null',
    reason: 'The statement inserts the id of the old message',
  },
  {
    statement: 'heartbeats.ts: SELECT id, roles',
    difference: 'roles may be null',
    reason:
      'Every heartbeat is written with its roles; a list in the Prisma schema makes no NOT NULL',
  },
  {
    statement: 'operate/erase.sql.ts: SELECT id, app_id … AND finished_at IS NULL',
    difference: 'userId may be null',
    reason: 'Set to null only when the erasure is finished',
  },
  {
    statement: 'operate/erase.sql.ts: SELECT id, app_id … AND finished_at IS NULL',
    difference: 'addresses may be null',
    reason: 'Set to null only when the erasure is finished',
  },
  {
    statement: 'relay/storage-slices.sql.ts: WITH new AS',
    difference: '$4 is timestamp with time zone, but its value is string',
    reason: 'No Date is infinite',
  },
  {
    statement: 'webhooks/claim.sql.ts: WITH ready',
    difference: 'leasedUntil may be null',
    reason: 'The statement sets next_at',
  },
];
