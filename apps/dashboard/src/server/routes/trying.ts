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
import { draftOf, findEvent } from '../event-answers';
import { maskTokens } from '../mask-tokens';
import { previewChannels } from '../preview';
import { Refusal } from '../problem';
import { confirmSchema, readBody } from '../read-body';
import type { AppCall, Routes } from '../route';
import { makeSample } from '../sample';
import type { TestSend } from '../test-send';

export type TryingRoutesDeps = {
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
/** The other members are those of a call to send, and are judged as it is. */
const testBody = Type.Object({
  definition: definitionSchema,
  channels: only,
  delivery: Type.Union([Type.Literal('sandbox'), Type.Literal('live')]),
  confirm: confirmSchema,
});
const exampleBody = Type.Object({ user: anyObject, data: anyObject });

/** What the editor does with a draft before it is live: sample data, previews, tests, and a call to copy. */
export function createTryingRoutes(deps: TryingRoutesDeps, routes: Routes) {
  return { ...createPreviewRoutes(deps, routes), ...createTestRoutes(deps, routes) };
}

function createPreviewRoutes(deps: TryingRoutesDeps, { inApp }: Routes) {
  return {
    sample: inApp(async (call): Promise<SampleAnswer> => {
      const event = await findEvent(deps.events, call);
      const definition = draftOf(event);
      const { paths } = await checkDefinition(definition, factsOf(deps, call, []));
      const made = makeSample(paths.map(({ path }) => path));
      const isSensitive = definition.isSensitive || event.live?.definition.isSensitive === true;
      const last = isSensitive ? undefined : await deps.events.findLastCall(call.app.id, event.id);
      return {
        made,
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
        const { locale, channels: chosen, ...given } = readBody(previewBody, call.body);
        const definition = completeDefinition(given.definition);
        const event = await findEvent(deps.events, call);
        const integrations = await deps.integrations.list(call.app.id);
        const facts = factsOf(deps, call, integrations);
        const { paths, problems } = await checkDefinition(definition, facts);
        const made = given.data ?? makeSample(paths.map(({ path }) => path));
        const body = bodyOfSend({ user: given.user, data: made }, event.name);
        const { user = {}, data = {} } = deps.readSend(body).item;
        const input = {
          definition,
          locale: locale ?? user.preferences?.locale,
          data,
          user,
          only: chosen,
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
      { mayViewer: true },
    ),
  };
}

function createTestRoutes(deps: TryingRoutesDeps, { inApp }: Routes) {
  return {
    testSend: inApp(async (call) => {
      const given = readBody(testBody, call.body);
      const { definition, channels: chosen, delivery, confirm, ...sent } = given;
      const { app } = call;
      const event = await findEvent(deps.events, call);
      if (delivery === 'live') refuseLive(app.delivery, confirm === true);
      const tested = withChannels(completeDefinition(definition), chosen);
      const integrations = await deps.integrations.list(app.id);
      const facts = { ...factsOf(deps, call, integrations), delivery };
      const { problems } = await checkDefinition(tested, facts);
      if (problems.some(({ severity }) => severity === 'error')) {
        throw new Refusal('not_publishable', 'The draft cannot be sent yet.', {
          publishProblems: problems,
        });
      }
      const body = bodyOfSend(sent, event.name);
      return deps.testSend(call.actor, { app, event, definition: tested, delivery, body });
    }),

    example: inApp(
      async (call) => {
        const { user, data } = readBody(exampleBody, call.body);
        const { name } = await findEvent(deps.events, call);
        const body = { event: name, user, data };
        return callExample({ gatewayUrl: deps.gatewayUrl, appId: call.app.id, body });
      },
      { mayViewer: true },
    ),
  };
}

function factsOf<Integrations>(
  { channels, compiling }: TryingRoutesDeps,
  { app, actor }: AppCall,
  integrations: Integrations,
) {
  const { delivery } = app;
  return { channels, delivery, integrations, accountId: actor.accountId, compiling };
}

/** As the gateway reads a call. The members are parsed JSON. */
function bodyOfSend(members: { [name: string]: unknown }, event: string): Json {
  return withoutNulls({ ...(members as { [name: string]: Json }), event });
}

function refuseLive(delivery: 'sandbox' | 'live', isConfirmed: boolean): void {
  if (delivery === 'sandbox') {
    const text =
      'This app sends to the sandbox only. Change its delivery to live to test for real.';
    throw new Refusal('wrong_state', text);
  }
  if (isConfirmed) return;
  throw new Refusal('needs_confirmation', 'This goes to the person by the real providers.');
}

function withChannels(
  definition: VersionDefinition,
  chosen: string[] | undefined,
): VersionDefinition {
  if (!chosen) return definition;
  const kept = Object.entries(definition.channels).filter(([name]) => chosen.includes(name));
  return { ...definition, channels: Object.fromEntries(kept) };
}
