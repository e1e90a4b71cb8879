import type { Provider, TestCall } from '@belfry/channels';
import type { AlertRules, AppIntegrationRow } from '@belfry/database';
import {
  checkIntegration,
  completeSettings,
  makeMissing,
  replaceRemoved,
} from '@belfry/pipeline/configure';
import type { IntegrationAnswer, TestConnectionAnswer } from '../../api/integrations';
import { hideHints, mergeCredentials, readBoundSettings } from '../credentials';
import {
  createIntegrationAnswers,
  type IntegrationAnswers,
  type IntegrationAnswersDeps,
} from '../integration-answers';
import { changedMeanwhile, invalid, notFound, Refusal } from '../problem';
import { describeRemovalHarm, findReferences } from '../references';
import { type AppCall, type Handlers, readId } from '../route';
import { isSameJson } from '../same-json';
import type { TestConnection } from '../test-connection';

export type IntegrationHandlersDeps = IntegrationAnswersDeps & {
  alertRules: Pick<AlertRules, 'list'>;
  testConnection: TestConnection;
  /** An address whose mail comes to Belfry and shows whether the integration's mail server signs. */
  buildTestAddress(integrationId: string, domain: string): string;
};

/** Integrations of an app: provider credentials and settings. */
export function createIntegrationHandlers(deps: IntegrationHandlersDeps) {
  const answers = createIntegrationAnswers(deps);
  return {
    ...createFormHandlers(deps, answers),
    ...createTestHandlers(deps, answers),
    ...createSwitchHandlers(deps, answers),
  };
}

function createFormHandlers(
  { integrations, events: appEvents, credentials: box }: IntegrationHandlersDeps,
  { find, answer, toAnswer, getProvider }: IntegrationAnswers,
) {
  return {
    async 'GET /api/apps/:appId/integrations'({ app, session }) {
      const [rows, events] = await Promise.all([integrations.list(app.id), appEvents.list(app.id)]);
      const answers = rows.map((row) => toAnswer(row, findReferences(events, row)));
      return { integrations: session.operator.role === 'viewer' ? answers.map(hide) : answers };
    },

    async 'GET /api/apps/:appId/integrations/:id'(call) {
      const integration = await answer(call.app.id, (await find(call)).id);
      return call.session.operator.role === 'viewer' ? hide(integration) : integration;
    },

    async 'POST /api/apps/:appId/integrations'({ app, actor, body }) {
      const { name, channel, provider, settings: formSettings = {} } = body;
      const providerDefinition = getProvider({ channel, provider });
      const settings = completeSettings(providerDefinition, formSettings);
      const credentials = await makeMissing(providerDefinition, body.credentials);
      refuseProblems(providerDefinition, { settings, credentials });
      const id = await integrations.create(actor, app.id, {
        name: name.trim(),
        channel,
        provider,
        settings,
        seal: (integrationId) => box.seal(integrationId, credentials),
        entered: listEntered(credentials),
      });
      if (id === undefined) throw explainTaken(body, await integrations.list(app.id));
      return answer(app.id, id);
    },

    async 'PUT /api/apps/:appId/integrations/:id'(call) {
      const change = call.body;
      const row = await find(call);
      if (row.updatedAt.getTime() !== change.updatedAt)
        throw changedMeanwhile('integration', row.updatedAt);
      const provider = getProvider(row);
      const settings = change.settings
        ? completeSettings(provider, change.settings, row.settings)
        : row.settings;
      const stored = { settings: row.settings, credentials: box.open(row) };
      const form = { settings, credentials: await replaceRemoved(provider, change.credentials) };
      const credentials = mergeCredentials(provider, stored, form);
      refuseProblems(provider, { settings, credentials });
      const result = await integrations.change(call.actor, call.app.id, {
        id: row.id,
        updatedAt: row.updatedAt,
        name: change.name?.trim() ?? row.name,
        settings,
        credentials: box.seal(row.id, credentials),
        isUntested: !isSameJson(stored, { settings, credentials }),
        entered: listEntered(form.credentials),
      });
      if (result === 'taken') throw nameTaken();
      if (result === 'stale') throw changedMeanwhile('integration', row.updatedAt);
      return answer(call.app.id, row.id);
    },
  } satisfies Partial<Handlers>;
}

function createTestHandlers(
  {
    integrations,
    credentials: box,
    testConnection,
    buildTestAddress,
    getReceiptUrl,
  }: IntegrationHandlersDeps,
  { find, getProvider }: IntegrationAnswers,
) {
  /** Writes the audit entry before the test, so that a crash cannot lose who sent a credential where. */
  async function test(
    { actor, app }: AppCall,
    { id, channel, provider: name }: TestedIntegration,
    input: Omit<TestCall, 'signal'>,
  ): Promise<TestConnectionAnswer> {
    const provider = getProvider({ channel, provider: name });
    refuseProblems(provider, input);
    const settings = readBoundSettings(provider, input.settings);
    await integrations.recordTest(actor, app.id, { id, channel, provider: name, settings });
    return testConnection({ channel, provider: name }, input);
  }

  return {
    /** Tests the form before it is saved. */
    async 'POST /api/apps/:appId/integrations/test'(call) {
      const { app, body } = call;
      const { id, channel, provider, settings: formSettings = {} } = body;
      const row = id ? await integrations.find(app.id, readId(id, 'integration')) : undefined;
      if (id && (row?.channel !== channel || row.provider !== provider))
        throw notFound('integration');
      const providerDefinition = getProvider({ channel, provider });
      const settings = completeSettings(providerDefinition, formSettings, row?.settings);
      const { credentials: entered = {} } = body;
      const stored = row && { settings: row.settings, credentials: box.open(row) };
      const credentials = stored
        ? mergeCredentials(providerDefinition, stored, { settings, credentials: entered })
        : await makeMissing(providerDefinition, entered);
      return test(call, { id, channel, provider }, { settings, credentials });
    },

    async 'POST /api/apps/:appId/integrations/:id/test'(call) {
      const row = await find(call);
      const result = await test(call, row, {
        settings: row.settings,
        credentials: box.open(row),
        buildTestAddress: (domain) => buildTestAddress(row.id, domain),
        mailSignature: row.mailSignature,
        receiptUrl: getReceiptUrl(row.id),
      });
      const revision = { integrationId: row.id, updatedAt: row.updatedAt };
      await integrations.recordTestResult(call.actor, call.app.id, revision, result);
      return result;
    },
  } satisfies Partial<Handlers>;
}

function createSwitchHandlers(
  {
    integrations,
    events,
    alertRules,
    credentials: box,
    getSlackInstallUrl,
  }: IntegrationHandlersDeps,
  { find, answer }: IntegrationAnswers,
) {
  return {
    async 'POST /api/apps/:appId/integrations/:id/slack-install'(call) {
      const { id, provider } = await find(call);
      if (provider !== 'slack' || !getSlackInstallUrl) throw notFound('Slack app');
      return { url: getSlackInstallUrl(call.actor, id) };
    },

    async 'POST /api/apps/:appId/integrations/:id/pause'(call) {
      const { id } = await find(call);
      await integrations.pause(call.actor, call.app.id, id);
      return answer(call.app.id, id);
    },

    async 'POST /api/apps/:appId/integrations/:id/resume'(call) {
      const { id } = await find(call);
      await integrations.resume(call.actor, call.app.id, id);
      return answer(call.app.id, id);
    },

    async 'DELETE /api/apps/:appId/integrations/:id'(call) {
      const row = await find(call);
      const references = findReferences(await events.list(call.app.id), row);
      const rules = await alertRules.list(call.app.id);
      const used = rules.filter((rule) =>
        [rule.integrationId, rule.sendBy, rule.fallbackBy].includes(row.id),
      );
      const harm = describeRemovalHarm(row, references, used.length);
      if (harm && call.body.confirm !== true) throw new Refusal('needs_confirmation', harm);
      const emptied = box.seal(row.id, {});
      await integrations.remove(call.actor, call.app.id, { id: row.id, emptied });
      return { success: true };
    },
  } satisfies Partial<Handlers>;
}

function listEntered(credentials: Record<string, unknown>): string[] {
  return Object.keys(credentials).filter((name) => credentials[name] !== '');
}

type TestedIntegration = { id?: string | undefined; channel: string; provider: string };

/** A viewer sees that a credential is stored, but no part of it. */
function hide(answer: IntegrationAnswer): IntegrationAnswer {
  return { ...answer, credentials: hideHints(answer.credentials) };
}

function refuseProblems(
  provider: Provider<unknown>,
  input: { settings: Record<string, unknown>; credentials: Record<string, unknown> },
): void {
  const problems = checkIntegration(provider, input);
  if (problems.length > 0) throw invalid(problems);
}

function nameTaken(): Refusal {
  return new Refusal('name_taken', 'Another integration of this app already has this name.', {
    fields: [{ path: 'name', problem: 'is taken by another integration of this app' }],
  });
}

/** A unique index refused the integration: by its name, or by its provider if an app has only one of it. */
function explainTaken(
  { name, provider }: { name: string; provider: string },
  rows: readonly AppIntegrationRow[],
): Refusal {
  const isNameTaken = rows.some((row) => row.name.toLowerCase() === name.trim().toLowerCase());
  if (isNameTaken || !rows.some((row) => row.provider === provider)) return nameTaken();
  return new Refusal(
    'name_taken',
    `The app already has an integration with ${provider}. Its keys belong to the app, so there is only one.`,
    { fields: [{ path: 'provider', problem: 'is taken by another integration of this app' }] },
  );
}
