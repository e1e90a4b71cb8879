import { inTransaction, type Queryable } from '@belfry/database';
import { createLoop, type Logger, type Loop } from '@belfry/runtime';
import { type AlertNoticeKind, describeAlertRule } from '@belfry/shared';
import type pg from 'pg';
import { type QueuedWebhook, queueWebhook } from '../webhooks/queue.sql';
import { type Check, checkRule } from './check-rule';
import { type Decision, decide, type OpenIncident, repeatedWithinMs } from './decide';
import { addNotification } from './notifications.sql';
import {
  countIncidents,
  type EvaluatedRule,
  type Finding,
  listRules,
  openIncident,
  resolveIncident,
  updateIncident,
  writeMemory,
} from './rules.sql';

export type EvaluationDeps = {
  pool: pg.Pool;
  withLock(work: (database: Queryable) => Promise<void>): Promise<boolean>;
  /** PostgreSQL's time. */
  now(): Promise<Date>;
  newId(): string;
  everyMs: number;
  log: Logger;
};

export type Evaluation = Loop & {
  /** One run; `start` repeats it. */
  runOnce(): Promise<void>;
};

const rulesPerPage = 200;
const firstId = '00000000-0000-0000-0000-000000000000';

/** Evaluates the alert rules of all apps, in one process at a time. */
export function createEvaluation(deps: EvaluationDeps): Evaluation {
  const { withLock, everyMs, log } = deps;
  let isClosed = false;
  const loop = createLoop(runOnce, () => everyMs);

  async function runOnce(): Promise<void> {
    try {
      await withLock(evaluateAll);
    } catch (error) {
      log.warn('alerts.not_evaluated', { error });
    }
  }

  async function evaluateAll(database: Queryable): Promise<void> {
    const now = await deps.now();
    let after: string | undefined = firstId;
    while (after !== undefined && !isClosed) {
      const rules: EvaluatedRule[] = await listRules(database, { after, limit: rulesPerPage });
      for (const rule of rules) await evaluateAlone(database, rule, now);
      after = rules.length < rulesPerPage ? undefined : rules.at(-1)?.id;
    }
  }

  /** A rule that fails does not stop the others. */
  async function evaluateAlone(database: Queryable, rule: EvaluatedRule, now: Date): Promise<void> {
    try {
      const check = await checkRule(database, rule, now);
      await remember(database, rule, check);
      await act(deps, { rule, finding: check.finding, now });
    } catch (error) {
      log.warn('alerts.rule_not_evaluated', { app_id: rule.appId, name: rule.kind, error });
    }
  }

  return {
    runOnce,
    start: loop.start,
    async close() {
      isClosed = true;
      await loop.close();
    },
  };
}

async function remember(database: Queryable, rule: EvaluatedRule, { memory }: Check) {
  if (JSON.stringify(memory) === JSON.stringify(rule.memory)) return;
  await writeMemory(database, rule, memory);
}

type Evaluated = { rule: EvaluatedRule; finding: Finding | undefined; now: Date };

/** Stores the change, its notification and its webhook in one transaction. */
async function act(deps: EvaluationDeps, evaluated: Evaluated): Promise<void> {
  const { rule, finding, now } = evaluated;
  const incident = readIncident(rule);
  if (!incident && !finding) return;
  await inTransaction(deps.pool, async (client) => {
    const since = new Date(now.getTime() - repeatedWithinMs);
    const recentIncidents = incident ? 0 : await countIncidents(client, rule, since);
    const decision = decide({ incident, isTrue: finding !== undefined, recentIncidents }, now);
    await carryOut(client, deps, { ...evaluated, incident, decision });
  });
}

type Decided = Evaluated & { incident: OpenIncident | undefined; decision: Decision };

type Change = Pick<Evaluated, 'rule' | 'finding' | 'now'> & {
  client: Queryable;
  deps: EvaluationDeps;
};

async function carryOut(
  client: Queryable,
  deps: EvaluationDeps,
  { incident, decision, ...evaluated }: Decided,
): Promise<void> {
  const change: Change = { client, deps, ...evaluated };
  if (decision.act === 'open') await open(change, decision);
  if (decision.act === 'update' && incident) await update(change, incident, decision);
  if (decision.act === 'resolve' && incident) await resolve(change, incident, decision);
}

type Act<Name> = Extract<Decision, { act: Name }>;

async function open(change: Change, { isQuiet, remindAt }: Act<'open'>): Promise<void> {
  const { client, deps, rule, finding, now } = change;
  if (!finding) return;
  const id = deps.newId();
  const opened = { id, firedAt: now, isQuiet, remindAt, finding };
  const isOpened = await openIncident(client, rule, opened);
  if (isOpened && !isQuiet) await notify(change, id, 'fired');
}

async function update(change: Change, incident: OpenIncident, decision: Act<'update'>) {
  const { client, rule, finding } = change;
  const isUpdated = await updateIncident(client, rule, { incident, finding, ...decision });
  // Nobody has heard of a quiet incident yet, and webhook endpoints get no reminders.
  const kind = incident.isQuiet && incident.reminders === 0 ? 'fired' : 'reminder';
  if (isUpdated && decision.isReminder) await notify(change, incident.id, kind);
}

async function resolve(change: Change, { id }: OpenIncident, { isNotified }: Act<'resolve'>) {
  const { client, rule, now } = change;
  const isResolved = await resolveIncident(client, rule, { incidentId: id, now });
  if (isResolved && isNotified) await notify(change, id, 'resolved');
}

async function notify(
  { client, deps, rule, finding, now }: Change,
  incidentId: string,
  kind: AlertNoticeKind,
): Promise<void> {
  const { appId, hasTarget } = rule;
  if (hasTarget) await addNotification(client, { id: deps.newId(), appId, incidentId, kind, now });
  if (kind === 'reminder') return;
  const type = kind === 'fired' ? 'alert.fired' : 'alert.resolved';
  await queueWebhook(client, buildWebhook({ type, rule, incidentId, finding }));
}

function readIncident(rule: EvaluatedRule): OpenIncident | undefined {
  const { incidentId: id, remindAt, reminders, clearSince, isQuiet } = rule;
  if (id === null || remindAt === null || reminders === null || isQuiet === null) return undefined;
  return { id, remindAt, reminders, clearSince, isQuiet };
}

type WebhookFacts = {
  type: 'alert.fired' | 'alert.resolved';
  rule: EvaluatedRule;
  incidentId: string;
  finding: Finding | undefined;
};

function buildWebhook({ type, rule, incidentId, finding }: WebhookFacts): QueuedWebhook {
  const { id, appId, kind, params, channel } = rule;
  const phrase = describeAlertRule({ kind, params, watched: channel });
  const sentence = finding?.sentence ?? 'The condition does not hold any more.';
  return {
    appId,
    type,
    data: { alert_id: incidentId, rule_id: id, kind, rule: phrase, sentence },
  };
}
