import type {
  AlertIncidentRow,
  AlertRuleFields,
  AlertRuleRow,
  AlertRules,
  AppIntegrations,
} from '@belfry/database';
import { readAlertRule } from '@belfry/pipeline/configure';
import { type SendAlert, writeAlertText } from '@belfry/pipeline/operate';
import { newId } from '@belfry/runtime';
import { buildAlertPath, describeAlertRule, maxAlertRules } from '@belfry/shared';
import type {
  AlertIncidentAnswer,
  AlertRuleAnswer,
  AlertRuleBody,
  AlertRuleListAnswer,
  AlertTarget,
  AlertTestAnswer,
} from '../../api/alerts';
import { changedMeanwhile, invalid, notFound, Refusal } from '../problem';
import { type AppCall, type Handlers, readId } from '../route';

export type AlertHandlersDeps = {
  rules: AlertRules;
  listIncidents(appId: string): Promise<AlertIncidentRow[]>;
  integrations: Pick<AppIntegrations, 'list' | 'find'>;
  send: SendAlert;
  dashboardUrl: string;
  now(): Date;
};

type ChangeCall = AppCall & { path: { id: string } };

/** Alert rules of an app, and what they sent. */
export function createAlertHandlers(deps: AlertHandlersDeps) {
  const answer = createAnswer(deps);
  return { ...createFormHandlers(deps, answer), ...createSwitchHandlers(deps, answer) };
}

type AnswerList = (appId: string) => Promise<AlertRuleListAnswer>;

function createAnswer({ rules, ...deps }: AlertHandlersDeps): AnswerList {
  return async function answer(appId: string): Promise<AlertRuleListAnswer> {
    const [rows, integrations] = await Promise.all([
      rules.list(appId),
      deps.integrations.list(appId),
    ]);
    const names = new Map(integrations.map(({ id, name }) => [id, name]));
    return { max: maxAlertRules, rules: rows.map((row) => toAnswer(row, names)) };
  };
}

function createFormHandlers(deps: AlertHandlersDeps, answer: AnswerList) {
  const { rules } = deps;
  return {
    'GET /api/apps/:appId/alerts': ({ app }) => answer(app.id),

    async 'GET /api/apps/:appId/alerts/history'({ app }) {
      const incidents = await deps.listIncidents(app.id);
      return { incidents: incidents.map((row) => toIncident(app.id, row)) };
    },

    async 'POST /api/apps/:appId/alerts'({ actor, app, body }) {
      const created = await rules.create(actor, app.id, await readRule(deps, app.id, body));
      if (created === 'full') {
        const text = `There are already ${maxAlertRules} alert rules. Remove one first.`;
        throw new Refusal('wrong_state', text);
      }
      return answer(app.id);
    },

    async 'PUT /api/apps/:appId/alerts/:id'({ actor, app, path, body }) {
      const id = readId(path.id, 'alert rule');
      const { updatedAt, ...form } = body;
      const rule = await readRule(deps, app.id, form);
      const revision = { id, updatedAt: new Date(updatedAt) };
      if (!(await rules.change(actor, app.id, { ...revision, ...rule }))) {
        const row = await rules.find(app.id, id);
        throw row ? changedMeanwhile('alert rule', row.updatedAt) : notFound('alert rule');
      }
      return answer(app.id);
    },

    async 'DELETE /api/apps/:appId/alerts/:id'({ actor, app, path }) {
      const id = readId(path.id, 'alert rule');
      if (!(await rules.remove(actor, app.id, id))) throw notFound('alert rule');
      return answer(app.id);
    },
  } satisfies Partial<Handlers>;
}

function createSwitchHandlers(deps: AlertHandlersDeps, answer: AnswerList) {
  const { rules } = deps;

  async function switchTo(isEnabled: boolean, { actor, app, path }: ChangeCall) {
    const rule = { id: readId(path.id, 'alert rule'), isEnabled };
    if (!(await rules.setEnabled(actor, app.id, rule))) throw notFound('alert rule');
    return answer(app.id);
  }

  return {
    'POST /api/apps/:appId/alerts/:id/enable': (call) => switchTo(true, call),
    'POST /api/apps/:appId/alerts/:id/disable': (call) => switchTo(false, call),

    async 'POST /api/apps/:appId/alerts/:id/test'(call) {
      const { actor, app } = call;
      const rule = await rules.find(app.id, readId(call.path.id, 'alert rule'));
      if (!rule) throw notFound('alert rule');
      return sendTest(deps, { rule, app }, () => rules.recordTest(actor, app.id, rule.id));
    },
  } satisfies Partial<Handlers>;
}

type Tested = { rule: AlertRuleRow; app: AppCall['app'] };

async function sendTest(
  { integrations, send, dashboardUrl, now }: AlertHandlersDeps,
  { rule, app }: Tested,
  record: () => Promise<void>,
): Promise<AlertTestAnswer> {
  const { sendBy, sendTo: to, kind: ruleKind, params, channel } = rule;
  const integration = sendBy === null ? undefined : await integrations.find(app.id, sendBy);
  if (!integration) {
    throw new Refusal('wrong_state', 'The rule names no integration that could send a test.');
  }
  const text = writeAlertText(
    {
      ...{ appId: app.id, appName: app.name, noticeKind: 'test', ruleKind, params },
      ...{ firedAt: now(), resolvedAt: null, sentence: 'An operator tested this alert.' },
      ...{ channel, provider: null, watchedChannel: channel },
    },
    dashboardUrl,
  );
  await record();
  return send({ id: newId(), integration: { ...integration, appId: app.id }, to, text });
}

/** The fields of a valid rule. Throws a Refusal that names every wrong field. */
async function readRule(
  { integrations }: AlertHandlersDeps,
  appId: string,
  body: AlertRuleBody,
): Promise<AlertRuleFields> {
  const channels = new Map((await integrations.list(appId)).map((row) => [row.id, row.channel]));
  const read = readAlertRule(channels, body);
  if ('problems' in read) throw invalid(read.problems);
  return read.rule;
}

function toAnswer(row: AlertRuleRow, names: ReadonlyMap<string, string>): AlertRuleAnswer {
  const { id, kind, channel, integrationId, params, disabledAt, firingSince, sentence } = row;
  const watched = channel ?? (integrationId && (names.get(integrationId) ?? 'a removed one'));
  return {
    ...{ id, kind, channel, integrationId, params, sentence },
    phrase: describeAlertRule({ kind, params, watched }),
    sendBy: toTarget(row.sendBy, row.sendTo),
    fallback: toTarget(row.fallbackBy, row.fallbackTo),
    isEnabled: disabledAt === null,
    firingSince: firingSince?.getTime() ?? null,
    updatedAt: row.updatedAt.getTime(),
  };
}

function toTarget(integrationId: string | null, to: string[]): AlertTarget | null {
  return integrationId === null ? null : { integrationId, to };
}

const hourMs = 60 * 60_000;

function toIncident(appId: string, row: AlertIncidentRow): AlertIncidentAnswer {
  const { id, ruleId, kind, params, firedAt, resolvedAt, sentence, isQuiet } = row;
  const fromMs = firedAt.getTime() - hourMs;
  const [channel, provider] = [row.channel ?? undefined, row.provider ?? undefined];
  const path = buildAlertPath({ appId, kind }, { channel, provider, fromMs });
  return {
    ...{ id, ruleId, sentence, isQuiet },
    phrase: describeAlertRule({ kind, params }),
    firedAt: firedAt.getTime(),
    resolvedAt: resolvedAt?.getTime() ?? null,
    logQuery: path.split('?')[1] ?? '',
    notifications: row.notifications.map(({ createdAt, endedAt, ...each }) => ({
      ...each,
      createdAt: createdAt.getTime(),
      endedAt: endedAt?.getTime() ?? null,
    })),
  };
}
