import {
  type AlertRuleFields,
  createAlertRules,
  createSystemActor,
  type Database,
  listAlertIncidents,
} from '@belfry/database';
import { createLogger, newId } from '@belfry/runtime';
import {
  createFactories,
  type Factories,
  openDatabase,
  ownDatabase,
  type Tenant,
} from '@belfry/testing';
import { withAlertsLock } from '../relay/retention-lock';
import { createEvaluation } from './evaluate';
import { createNotifier } from './notify';
import type { AlertSend, SendAlertResult } from './send-alert';

const log = createLogger({ level: 'error', process: 'test' });
export const minuteMs = 60_000;

type Send = (alert: AlertSend) => Promise<SendAlertResult>;

/** A database of its own, because an evaluation covers the rules of all apps. */
export type AlertWorld = {
  database: Database;
  factories: Factories;
  tenant: Tenant;
  /** Moves the clock of evaluation and notifier. */
  clock: { ms: number };
  sent: AlertSend[];
  /** Replaces the provider; each alert is accepted by default. */
  setSend(send: Send): void;
  createRule(fields: Partial<AlertRuleFields>): Promise<string>;
  evaluate(): Promise<void>;
  notify(): Promise<void>;
  readHistory(ruleId: string): Promise<Awaited<ReturnType<typeof listAlertIncidents>>>;
  sql(text: string, values?: unknown[]): Promise<void>;
  close(): Promise<void>;
};

export async function createAlertWorld(): Promise<AlertWorld> {
  const own = await ownDatabase();
  const database = openDatabase({ url: own.url, poolSize: 4 });
  const factories = createFactories(database);
  const tenant = await factories.createTenant();
  const pool = database.delivery;
  const rules = createAlertRules(pool);
  return {
    ...{ database, factories, tenant, ...createLoops(database) },
    async createRule(fields) {
      const rule = { ...emptyRule, ...fields };
      const created = await rules.create(createSystemActor(tenant.accountId), tenant.appId, rule);
      if (created === 'full') throw new Error('The app has too many rules');
      return created.id;
    },
    async readHistory(ruleId) {
      const incidents = await listAlertIncidents(pool, tenant.appId);
      return incidents.filter((each) => each.ruleId === ruleId);
    },
    sql: async (text, values) => void (await pool.query(text, values)),
    async close() {
      await database.close();
      await own.drop();
    },
  };
}

/** Evaluation and notifier with a clock and a provider of the test. */
function createLoops({ delivery: pool }: Database) {
  const clock = { ms: 0 };
  const now = async () => new Date(Date.now() + clock.ms);
  const sent: AlertSend[] = [];
  let send: Send = async () => ({ isSent: true, detail: 'ok' });
  const evaluation = createEvaluation({
    pool,
    withLock: (work) => withAlertsLock(pool, work),
    now,
    newId,
    everyMs: minuteMs,
    log,
  });
  const notifier = createNotifier({
    pool,
    send(alert) {
      sent.push(alert);
      return send(alert);
    },
    now,
    dashboardUrl: 'https://belfry.example/dashboard/',
    everyMs: minuteMs,
    log,
  });
  return {
    ...{ clock, sent },
    setSend(next: Send) {
      send = next;
    },
    evaluate: evaluation.runOnce,
    notify: notifier.runOnce,
  };
}

const emptyRule: AlertRuleFields = {
  ...{ kind: 'integration_failing', channel: null, integrationId: null, params: {} },
  ...{ sendBy: null, sendTo: [], fallbackBy: null, fallbackTo: [] },
};
