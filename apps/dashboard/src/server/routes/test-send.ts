import type { AnyChannel } from '@belfry/channels';
import type { AppEvents, AppIntegrations } from '@belfry/database';
import { checkDefinition } from '@belfry/pipeline/configure';
import { createPreviewLinks } from '@belfry/pipeline/operate';
import type { FairQueue } from '@belfry/runtime';
import {
  completeDefinition,
  type Json,
  type ReadSend,
  type VersionDefinition,
  withoutNulls,
} from '@belfry/shared';
import { callExample } from '../call-example';
import type { DraftDryRun } from '../dry-run';
import { findEvent, getDraft } from '../event-answers';
import { maskTokens } from '../mask-tokens';
import { sendFrame } from '../pages';
import { previewChannels } from '../preview';
import { Refusal } from '../problem';
import type { AppCall, Handlers } from '../route';
import { createSample } from '../sample';
import type { TestSend } from '../test-send';

export type TestSendHandlersDeps = {
  channels: Record<string, AnyChannel>;
  events: AppEvents;
  integrations: Pick<AppIntegrations, 'list'>;
  testSend: TestSend;
  dryRun: DraftDryRun;
  readSend: ReadSend;
  gatewayUrl: string;
  compiling: FairQueue;
};

/** The editor: sample data, previews, test sends and call examples. */
export function createTestSendHandlers(deps: TestSendHandlersDeps) {
  return { ...createPreviewHandlers(deps), ...createTestHandlers(deps) };
}

function createPreviewHandlers(deps: TestSendHandlersDeps) {
  const addLinks = createPreviewLinks(deps.gatewayUrl);
  return {
    async 'GET /api/apps/:appId/events/:eventId/sample'(call) {
      const event = await findEvent(deps.events, call);
      const definition = getDraft(event);
      const { paths } = await checkDefinition(definition, buildFacts(deps, call, []));
      const sample = createSample(paths.map(({ path }) => path));
      const isSensitive = definition.isSensitive || event.live?.definition.isSensitive === true;
      const last = isSensitive ? undefined : await deps.events.findLastCall(call.app.id, event.id);
      return {
        generated: sample,
        fromRequest: last
          ? {
              requestId: last.requestId,
              createdAt: last.createdAt.getTime(),
              data: JSON.parse(last.data),
              user: last.recipient === null ? null : maskTokens(JSON.parse(last.recipient)),
            }
          : null,
      };
    },

    async 'POST /api/apps/:appId/events/:eventId/preview'(call) {
      const { locale, channels: only, ...members } = call.body;
      const definition = completeDefinition(members.definition);
      const event = await findEvent(deps.events, call);
      const integrations = await deps.integrations.list(call.app.id);
      const facts = buildFacts(deps, call, integrations);
      const { paths, problems } = await checkDefinition(definition, facts);
      const sampleData = members.data ?? createSample(paths.map(({ path }) => path));
      const body = buildSendBody({ user: members.user, data: sampleData }, event.name);
      const { user = {}, data = {} } = deps.readSend(body).item;
      const input = { definition, locale: locale ?? user.preferences?.locale, data, user, only };
      const { defaultRegion } = call.app;
      return {
        data,
        previews: await previewChannels(input, { ...facts, problems, defaultRegion, addLinks }),
      };
    },

    async 'POST /api/frames'({ res, body }) {
      sendFrame(res, body);
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

function createTestHandlers(deps: TestSendHandlersDeps) {
  return {
    async 'POST /api/apps/:appId/events/:eventId/test'(call) {
      const { definition, channels: selectedChannels, delivery, confirm, ...members } = call.body;
      const { app } = call;
      const event = await findEvent(deps.events, call);
      if (delivery === 'live') refuseLive(app.delivery, confirm === true);
      const tested = withChannels(completeDefinition(definition), selectedChannels);
      await refuseProblems(deps, call, tested);
      const body = buildSendBody(members, event.name);
      return deps.testSend(call.actor, { app, event, definition: tested, delivery, body });
    },

    async 'POST /api/apps/:appId/events/:eventId/dry-run'(call) {
      const { definition, channels: selectedChannels, delivery, ...members } = call.body;
      const event = await findEvent(deps.events, call);
      const tested = withChannels(completeDefinition(definition), selectedChannels);
      await refuseProblems(deps, call, tested);
      const app = { ...call.app, accountId: call.actor.accountId };
      const body = buildSendBody(members, event.name);
      return deps.dryRun({ app, eventId: event.id, definition: tested, delivery, body });
    },

    async 'POST /api/apps/:appId/events/:eventId/call-example'(call) {
      const { user, data } = call.body;
      const { name } = await findEvent(deps.events, call);
      const body = { event: name, user, data };
      return callExample({ gatewayUrl: deps.gatewayUrl, appId: call.app.id, body });
    },
  } satisfies Partial<Handlers>;
}

async function refuseProblems(
  deps: TestSendHandlersDeps,
  call: AppCall & { body: { delivery: 'sandbox' | 'live' } },
  definition: VersionDefinition,
): Promise<void> {
  const integrations = await deps.integrations.list(call.app.id);
  const facts = { ...buildFacts(deps, call, integrations), delivery: call.body.delivery };
  const { problems } = await checkDefinition(definition, facts);
  if (problems.every(({ severity }) => severity !== 'error')) return;
  throw new Refusal('not_publishable', 'Fix the errors of the draft first.', {
    publishProblems: problems,
  });
}

function buildFacts<Integrations>(
  { channels, compiling }: TestSendHandlersDeps,
  { app, actor }: AppCall,
  integrations: Integrations,
) {
  const { delivery } = app;
  return { channels, delivery, integrations, accountId: actor.accountId, compiling };
}

/** Parses the call like the gateway. The fields are parsed JSON. */
function buildSendBody(members: { [name: string]: unknown }, event: string): Json {
  return withoutNulls({ ...(members as { [name: string]: Json }), event });
}

function refuseLive(delivery: 'sandbox' | 'live', isConfirmed: boolean): void {
  if (delivery === 'sandbox') {
    const text = 'This app only sends to the sandbox. Change its delivery to live first.';
    throw new Refusal('wrong_state', text);
  }
  if (isConfirmed) return;
  throw new Refusal('needs_confirmation', 'This sends real messages to the recipient.');
}

function withChannels(
  definition: VersionDefinition,
  selectedNames: string[] | undefined,
): VersionDefinition {
  if (!selectedNames) return definition;
  const entries = Object.entries(definition.channels).filter(([name]) =>
    selectedNames.includes(name),
  );
  return { ...definition, channels: Object.fromEntries(entries) };
}
