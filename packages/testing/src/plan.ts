/** A node of `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)`. */
export type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Actual Loops': number;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};

/** How often the plan scans a table, and the rows it reads there, also those that a filter removes. */
export function countReads(plan: Plan, table: string): { scans: number; rows: number } {
  const total = { scans: 0, rows: 0 };
  if (plan['Relation Name'] === table) {
    const { 'Actual Rows': kept, 'Rows Removed by Filter': removed = 0 } = plan;
    total.scans = plan['Actual Loops'];
    total.rows = plan['Actual Loops'] * (kept + removed);
  }
  for (const child of plan.Plans ?? []) {
    const { scans, rows } = countReads(child, table);
    total.scans += scans;
    total.rows += rows;
  }
  return total;
}
