/**
 * SQL condition: the time is past the retention of its app `a`. The parameter has RETENTION_DAYS, for apps without a number of
 * their own. PostgreSQL's clock decides.
 */
export function isPastRetention(time: string, parameter: string): string {
  return `${time} <= now() - coalesce(a.retention_days, ${parameter}::int) * interval '24 hours'`;
}
