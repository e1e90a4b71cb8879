import type { Database } from '@belfry/database';
import { logStatement } from '@belfry/pipeline/operate';
import { messageStates } from '@belfry/shared';

type Plan = { 'Node Type': string; 'Index Name'?: string; Plans?: Plan[] };

/** Both have the order of the log. With a single app, as here, either is fine. */
const logOrder = new Set(['request_pkey', 'request_app_id_id_idx']);

/**
 * How PostgreSQL reads the first page of an app's log: each plan node and its index. After a vacuum PostgreSQL may choose the other
 * of the two indexes, and may or may not read the table, so both are normalized.
 */
export async function readLogPlan({ requestLog }: Database, appId: string): Promise<string> {
  // Autovacuum would do this about a minute later.
  await requestLog.query('ANALYZE request, request_item, message');
  const { text, values } = logStatement({ appId }, Object.keys(messageStates));
  const { rows } = await requestLog.query(`EXPLAIN (FORMAT JSON) ${text}`, values);
  return listSteps(rows[0]['QUERY PLAN'][0].Plan).join(', ');
}

function listSteps(plan: Plan): string[] {
  const index = plan['Index Name'];
  const scan = index === undefined ? plan['Node Type'] : `${plan['Node Type']} ${index}`;
  const step = index !== undefined && logOrder.has(index) ? 'log order' : scan;
  return [step, ...(plan.Plans ?? []).flatMap(listSteps)];
}
