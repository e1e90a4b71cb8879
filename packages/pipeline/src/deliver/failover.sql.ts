import type { Failover, FailoverReason } from '@belfry/shared';

/** SQL expressions, except the reason. */
type NoteColumns = {
  integrationId: string;
  name: string;
  reason: FailoverReason;
  detail: string;
};

/**
 * SQL for the notes of a message `m` that fails over: one note per integration, the newest, as
 * `failovers: {<integration id>: {name, reason, detail, at}}`.
 */
export function buildFailoverNote({ integrationId, name, reason, detail }: NoteColumns): string {
  return `coalesce(m.notes, '{}') || jsonb_build_object('failovers', coalesce(m.notes -> 'failovers', '{}') ||
      jsonb_build_object(${integrationId}::text, jsonb_strip_nulls(jsonb_build_object('name', ${name}, 'reason', '${reason}',
        'detail', ${detail}::text, 'at', floor(extract(epoch FROM now()) * 1000)))))`;
}

/** The integrations that a message failed over from, oldest first, as `buildFailoverNote` wrote them. */
export function readFailovers(notes: unknown): Failover[] {
  const { failovers = {} } = (notes ?? {}) as {
    failovers?: Record<string, Omit<Failover, 'at'> & { at: number }>;
  };
  return Object.values(failovers)
    .map(({ at, ...failover }) => ({ ...failover, at: new Date(at) }))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}
