/** A public bug report about a similar system, and the test that proves we do not have the bug. */
export type BugReport = {
  reports: string;
  /** Relative to `packages`. */
  file: string;
  /** The test title exactly as in the source. */
  test: string;
  /** The row of a `test.each` table that covers the report. */
  row?: string;
};

/** Links `reports` to the test that covers them, and optionally to one row of its table. */
export function tested(reports: string, file: string, test: string, row?: string): BugReport {
  return { reports, file, test, ...(row === undefined ? {} : { row }) };
}
