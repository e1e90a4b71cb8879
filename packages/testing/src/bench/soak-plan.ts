import type { Database } from '@belfry/database';
import { logStatement } from '@belfry/pipeline/operate';
import { messageStates } from '@belfry/shared';

type Plan = { 'Node Type': string; 'Index Name'?: string; Plans?: Plan[] };

/** Both have the order of the log; of one app alone, as here, either will do. */
const logOrder = new Set(['request_pkey', 'request_app_id_id_idx']);

/**
 * How PostgreSQL reads the first page of an app's log: each step, and the index that it takes. Which of the two in the log's order
 * it walks, and whether it looks at the rows beside, changes with what was vacuumed.
 */
export async function readLogPlan({ requestLog }: Database, appId: string): Promise<string> {
  // As autovacuum does by itself, a minute later.
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
