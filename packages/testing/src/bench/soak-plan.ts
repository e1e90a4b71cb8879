import { type Database, logStatement } from '@belfry/database';
import { messageStates } from '@belfry/shared';

type Plan = { 'Node Type': string; Plans?: Plan[] };

/**
 * How PostgreSQL reads the first page of an app's log, step by step. Which of two indexes in the order of the log it walks, and
 * whether it looks at the rows beside, changes with what was vacuumed; that it would sort, or scan a table, would be another way.
 */
export async function readLogPlan({ requestLog }: Database, appId: string): Promise<string> {
  // As autovacuum does by itself, a minute later.
  await requestLog.query('ANALYZE request, request_item, message');
  const { text, values } = logStatement({ appId }, Object.keys(messageStates));
  const { rows } = await requestLog.query(`EXPLAIN (FORMAT JSON) ${text}`, values);
  return stepsOf(rows[0]['QUERY PLAN'][0].Plan).join(', ');
}

function stepsOf(plan: Plan): string[] {
  const step = plan['Node Type'].replace(/^Index (Only )?Scan$/, 'Index');
  return [step, ...(plan.Plans ?? []).flatMap(stepsOf)];
}
