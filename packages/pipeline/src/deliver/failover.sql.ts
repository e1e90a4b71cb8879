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
 * `passed_over: {<integration id>: {name, reason, detail, at}}`.
 */
export function buildFailoverNote({ integrationId, name, reason, detail }: NoteColumns): string {
  return `coalesce(m.notes, '{}') || jsonb_build_object('passed_over', coalesce(m.notes -> 'passed_over', '{}') ||
      jsonb_build_object(${integrationId}::text, jsonb_strip_nulls(jsonb_build_object('name', ${name}, 'reason', '${reason}',
        'detail', ${detail}::text, 'at', floor(extract(epoch FROM now()) * 1000)))))`;
}

/** The integrations that a message failed over from, oldest first, as `buildFailoverNote` wrote them. */
export function readFailovers(notes: unknown): Failover[] {
  const { passed_over: noted = {} } = (notes ?? {}) as {
    passed_over?: Record<string, Omit<Failover, 'at'> & { at: number }>;
  };
  return Object.values(noted)
    .map(({ at, ...passed }) => ({ ...passed, at: new Date(at) }))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}
