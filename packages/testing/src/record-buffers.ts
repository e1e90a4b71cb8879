import pg from 'pg';
import type { Plan } from './plan';

type Statement = { text: string; values: unknown[] };
type Explain = (
  this: pg.Client,
  statement: Statement,
) => Promise<pg.QueryResult<{ 'QUERY PLAN': [{ Plan: Plan }] }>>;

/**
 * Explains each reading statement of this process on its own connection, whose settings decide its plan. Counts buffers, and
 * lists those of the tables that are scanned in full.
 */
export function recordBuffers(tables: readonly string[]) {
  const { query } = pg.Client.prototype;
  let plans: Promise<Plan | undefined>[] = [];

  async function explain(client: pg.Client, statement: Statement): Promise<Plan | undefined> {
    const { rows } = await (query as unknown as Explain).call(client, statement);
    return rows[0]?.['QUERY PLAN'][0].Plan;
  }

  function record(client: pg.Client, [first, second]: unknown[]): void {
    const { text, values } =
      typeof first === 'string' ? { text: first, values: second } : Object(first);
    if (!/^\s*(SELECT|WITH)\b/i.test(text)) return;
    const explained = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`;
    plans.push(explain(client, { text: explained, values: Array.isArray(values) ? values : [] }));
  }

  function listScanned(plan: Plan): string[] {
    const table = plan['Relation Name'] ?? '';
    const own = plan['Node Type'] === 'Seq Scan' && tables.includes(table) ? [table] : [];
    return [...own, ...(plan.Plans ?? []).flatMap(listScanned)];
  }

  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    record(this, args);
    return query.apply(this, args as never);
  } as never;
  return {
    /** Returns the reads of the statements since the last call. */
    async take(): Promise<{ buffers: number; scanned: string[] }> {
      const taken = plans;
      plans = [];
      const read = (await Promise.all(taken)).flatMap((plan) => plan ?? []);
      return {
        buffers: read.reduce(
          (sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
          0,
        ),
        scanned: read.flatMap(listScanned),
      };
    },
    stop() {
      pg.Client.prototype.query = query;
    },
  };
}
