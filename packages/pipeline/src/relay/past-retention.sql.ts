/** The age at which data is removed. */
export type Retention = {
  /** For apps without a number of their own. */
  retentionDays: number;
  /** A day in UTC is removed as a whole, so that an archive has few files. */
  isByDay?: boolean;
};

/**
 * SQL condition: the time is past the retention of its app `a`. The parameter has RETENTION_DAYS, for apps without a number of
 * their own. PostgreSQL's clock decides.
 */
export function isPastRetention(time: string, parameter: string, isByDay = false): string {
  const end = `now() - coalesce(a.retention_days, ${parameter}::int) * interval '24 hours'`;
  return isByDay ? `${time} < date_trunc('day', ${end}, 'UTC')` : `${time} <= ${end}`;
}
