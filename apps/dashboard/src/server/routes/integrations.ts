import type { IntegrationInput, Provider } from '@belfry/channels';
import type { Actor, AppIntegrationRow } from '@belfry/database';
import { Type } from '@sinclair/typebox';
import type {
  IntegrationAnswer,
  IntegrationListAnswer,
  SlackInstallAnswer,
  TestConnectionAnswer,
} from '../../api/integrations';
import { hideHints, mergeCredentials, readBoundSettings } from '../credentials';
import {
  createIntegrationAnswers,
  type IntegrationAnswers,
  type IntegrationAnswersDeps,
} from '../integration-answers';
import { checkIntegration, completeSettings } from '../integration-check';
import { invalid, notFound, Refusal } from '../problem';
import { confirmSchema, nameSchema, readBody } from '../read-body';
import { describeRemovalHarm, findReferences } from '../references';
import { type AppCall, type Routes, readId } from '../route';
import type { TestConnection } from '../test-connection';

export type IntegrationRoutesDeps = IntegrationAnswersDeps & {
  testConnection: TestConnection;
  /** Reactivates the integration after a passed test. */
  markActive(integrationId: string, actor: Actor): Promise<void>;
};

const anyObject = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100 });
const place = { channel: Type.String(), provider: Type.String() };
const form = { settings: Type.Optional(anyObject), credentials: Type.Optional(anyObject) };
const newBody = Type.Object({ ...place, ...form, name: nameSchema });
const changeBody = Type.Object({
  ...form,
  updatedAt: Type.Number(),
  name: Type.Optional(nameSchema),
});
const testBody = Type.Object({
  ...place,
  ...form,
  id: Type.Optional(Type.String({ maxLength: 36 })),
});
const removeBody = Type.Object({ confirm: confirmSchema });

/** Integrations of an app: provider credentials and settings. */
export function createIntegrationRoutes(deps: IntegrationRoutesDeps, routes: Routes) {
  const answers = createIntegrationAnswers(deps);
  return {
    ...createFormRoutes(deps, answers, routes),
    ...createTestRoutes(deps, answers, routes),
    ...createSwitchRoutes(deps, answers, routes),
  };
}

function createFormRoutes(
  { integrations, events: appEvents, credentials: box }: IntegrationRoutesDeps,
  { find, answer, toAnswer, getProvider }: IntegrationAnswers,
  { inApp }: Routes,
) {
  return {
    list: inApp(async ({ app, session }): Promise<IntegrationListAnswer> => {
      const [rows, events] = await Promise.all([integrations.list(app.id), appEvents.list(app.id)]);
      const answers = rows.map((row) => toAnswer(row, findReferences(events, row)));
      return { integrations: session.operator.role === 'viewer' ? answers.map(hide) : answers };
    }),

    read: inApp(async (call) => {
      const integration = await answer(call.app.id, (await find(call)).id);
      return call.session.operator.role === 'viewer' ? hide(integration) : integration;
    }),

    create: inApp(async ({ app, actor, body }) => {
      const {
        name,
        channel,
        provider,
        settings: formSettings = {},
        credentials = {},
      } = readBody(newBody, body);
      const providerDefinition = getProvider({ channel, provider });
      const settings = completeSettings(providerDefinition, formSettings);
      refuseProblems(providerDefinition, { settings, credentials });
      const id = await integrations.create(actor, app.id, {
        name: name.trim(),
        channel,
        provider,
        settings,
        seal: (integrationId) => box.seal(integrationId, credentials),
      });
      if (id === undefined) throw nameTaken();
      return answer(app.id, id);
    }),

    change: inApp(async (call) => {
      const change = readBody(changeBody, call.body);
      const row = await find(call);
      if (row.updatedAt.getTime() !== change.updatedAt) throw savedBetween(row);
      const provider = getProvider(row);
      const settings = change.settings
        ? completeSettings(provider, change.settings, row.settings)
        : row.settings;
      const stored = { settings: row.settings, credentials: box.open(row) };
      const form = { settings, credentials: change.credentials ?? {} };
      const credentials = mergeCredentials(provider, stored, form);
      refuseProblems(provider, { settings, credentials });
      const result = await integrations.change(call.actor, call.app.id, {
        id: row.id,
        updatedAt: row.updatedAt,
        name: change.name?.trim() ?? row.name,
        settings,
        credentials: box.seal(row.id, credentials),
      });
      if (result === 'taken') throw nameTaken();
      if (result === 'stale') throw savedBetween(row);
      return answer(call.app.id, row.id);
    }),
  };
}

function createTestRoutes(
  { integrations, credentials: box, testConnection, markActive: activate }: IntegrationRoutesDeps,
  { find, getProvider }: IntegrationAnswers,
  { inApp }: Routes,
) {
  /** Writes the audit entry before the test, so that a crash cannot lose who sent a credential where. */
  async function test(
    { actor, app }: AppCall,
    { id, channel, provider: name }: TestedIntegration,
    input: IntegrationInput,
  ): Promise<TestConnectionAnswer> {
    const provider = getProvider({ channel, provider: name });
    refuseProblems(provider, input);
    const settings = readBoundSettings(provider, input.settings);
    await integrations.recordTest(actor, app.id, { id, channel, provider: name, settings });
    return testConnection({ channel, provider: name }, input);
  }

  return {
    /** Tests the form before it is saved. */
    testForm: inApp(async (call) => {
      const { app, body } = call;
      const {
        id,
        channel,
        provider,
        settings: formSettings = {},
        credentials = {},
      } = readBody(testBody, body);
      const row = id
        ? await integrations.find(app.id, readId({ path: { id } }, 'id', 'integration'))
        : undefined;
      if (id && (row?.channel !== channel || row.provider !== provider))
        throw notFound('integration');
      const providerDefinition = getProvider({ channel, provider });
      const settings = completeSettings(providerDefinition, formSettings, row?.settings);
      const form = { settings, credentials };
      const stored = row && { settings: row.settings, credentials: box.open(row) };
      const mergedCredentials = stored
        ? mergeCredentials(providerDefinition, stored, form)
        : credentials;
      return test(call, { id, channel, provider }, { settings, credentials: mergedCredentials });
    }),

    testStored: inApp(async (call) => {
      const row = await find(call);
      const result = await test(call, row, {
        settings: row.settings,
        credentials: box.open(row),
      });
      if (result.isWorking) await activate(row.id, call.actor);
      return result;
    }),
  };
}

function createSwitchRoutes(
  { integrations, events, credentials: box, getSlackInstallUrl }: IntegrationRoutesDeps,
  { find, answer }: IntegrationAnswers,
  { inApp }: Routes,
) {
  return {
    slackInstall: inApp(async (call): Promise<SlackInstallAnswer> => {
      const { id, provider } = await find(call);
      if (provider !== 'slack' || !getSlackInstallUrl) throw notFound('Slack app');
      return { url: getSlackInstallUrl(call.actor, id) };
    }),

    pause: inApp(async (call) => {
      const { id } = await find(call);
      await integrations.pause(call.actor, call.app.id, id);
      return answer(call.app.id, id);
    }),

    resume: inApp(async (call) => {
      const { id } = await find(call);
      await integrations.resume(call.actor, call.app.id, id);
      return answer(call.app.id, id);
    }),

    remove: inApp(async (call) => {
      const { confirm } = readBody(removeBody, call.body);
      const row = await find(call);
      const references = findReferences(await events.list(call.app.id), row);
      const harm = describeRemovalHarm(row, references);
      if (harm && confirm !== true) throw new Refusal('needs_confirmation', harm);
      const emptied = box.seal(row.id, {});
      await integrations.remove(call.actor, call.app.id, { id: row.id, emptied });
      return { success: true };
    }),
  };
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
    fields: [{ path: 'name', problem: 'is taken' }],
  });
}

function savedBetween({ updatedAt }: AppIntegrationRow): Refusal {
  return new Refusal(
    'draft_changed',
    'Another operator saved this integration after you opened it. Reload it.',
    {
      savedAt: updatedAt.getTime(),
    },
  );
}
