import type { AnyChannel } from '@belfry/channels';
import type { AppEvents, AppIntegrations } from '@belfry/database';
import type { FairQueue } from '@belfry/runtime';
import {
  completeDefinition,
  type Json,
  type ReadSend,
  type VersionDefinition,
  withoutNulls,
} from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type { PreviewAnswer, SampleAnswer } from '../../api/preview';
import { callExample } from '../call-example';
import { checkDefinition, definitionSchema } from '../definition';
import { findEvent, getDraft } from '../event-answers';
import { maskTokens } from '../mask-tokens';
import { previewChannels } from '../preview';
import { Refusal } from '../problem';
import { confirmSchema, readBody } from '../read-body';
import type { AppCall, Routes } from '../route';
import { createSample } from '../sample';
import type { TestSend } from '../test-send';

export type TestSendRoutesDeps = {
  channels: Record<string, AnyChannel>;
  events: AppEvents;
  integrations: Pick<AppIntegrations, 'list'>;
  testSend: TestSend;
  readSend: ReadSend;
  gatewayUrl: string;
  compiling: FairQueue;
};

const anyObject = Type.Record(Type.String(), Type.Unknown());
const only = Type.Optional(Type.Array(Type.String(), { maxItems: 20 }));
const previewBody = Type.Object({
  definition: definitionSchema,
  locale: Type.Optional(Type.String({ maxLength: 35 })),
  data: Type.Optional(Type.Unknown()),
  user: Type.Optional(Type.Unknown()),
  channels: only,
});
/** The other fields are those of a send call and are validated the same way. */
const testBody = Type.Object({
  definition: definitionSchema,
  channels: only,
  delivery: Type.Union([Type.Literal('sandbox'), Type.Literal('live')]),
  confirm: confirmSchema,
});
const exampleBody = Type.Object({ user: anyObject, data: anyObject });

/** Routes of the editor: sample data, previews, test sends and call examples. */
export function createTestSendRoutes(deps: TestSendRoutesDeps, routes: Routes) {
  return { ...createPreviewRoutes(deps, routes), ...createTestRoutes(deps, routes) };
}

function createPreviewRoutes(deps: TestSendRoutesDeps, { inApp }: Routes) {
  return {
    sample: inApp(async (call): Promise<SampleAnswer> => {
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
    }),

    preview: inApp(
      async (call): Promise<PreviewAnswer> => {
        const {
          locale,
          channels: selectedChannels,
          ...parsedBody
        } = readBody(previewBody, call.body);
        const definition = completeDefinition(parsedBody.definition);
        const event = await findEvent(deps.events, call);
        const integrations = await deps.integrations.list(call.app.id);
        const facts = buildFacts(deps, call, integrations);
        const { paths, problems } = await checkDefinition(definition, facts);
        const sampleData = parsedBody.data ?? createSample(paths.map(({ path }) => path));
        const body = buildSendBody({ user: parsedBody.user, data: sampleData }, event.name);
        const { user = {}, data = {} } = deps.readSend(body).item;
        const input = {
          definition,
          locale: locale ?? user.preferences?.locale,
          data,
          user,
          only: selectedChannels,
        };
        return {
          data,
          previews: await previewChannels(input, {
            ...facts,
            problems,
            defaultRegion: call.app.defaultRegion,
          }),
        };
      },
      { allowsViewers: true },
    ),
  };
}

function createTestRoutes(deps: TestSendRoutesDeps, { inApp }: Routes) {
  return {
    testSend: inApp(async (call) => {
      const testInput = readBody(testBody, call.body);
      const { definition, channels: selectedChannels, delivery, confirm, ...members } = testInput;
      const { app } = call;
      const event = await findEvent(deps.events, call);
      if (delivery === 'live') refuseLive(app.delivery, confirm === true);
      const testDefinition = withChannels(completeDefinition(definition), selectedChannels);
      const integrations = await deps.integrations.list(app.id);
      const facts = { ...buildFacts(deps, call, integrations), delivery };
      const { problems } = await checkDefinition(testDefinition, facts);
      if (problems.some(({ severity }) => severity === 'error')) {
        throw new Refusal('not_publishable', 'Fix the errors of the draft first.', {
          publishProblems: problems,
        });
      }
      const body = buildSendBody(members, event.name);
      return deps.testSend(call.actor, { app, event, definition: testDefinition, delivery, body });
    }),

    example: inApp(
      async (call) => {
        const { user, data } = readBody(exampleBody, call.body);
        const { name } = await findEvent(deps.events, call);
        const body = { event: name, user, data };
        return callExample({ gatewayUrl: deps.gatewayUrl, appId: call.app.id, body });
      },
      { allowsViewers: true },
    ),
  };
}

function buildFacts<Integrations>(
  { channels, compiling }: TestSendRoutesDeps,
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
