import { findRepeatedLocales } from '@belfry/pipeline/configure';
import { completeDefinition, type VersionDefinition } from '@belfry/shared';
import {
  createEventAnswers,
  type EventAnswers,
  type EventAnswersDeps,
  findEvent,
  toEventRow,
} from '../event-answers';
import { Refusal, requireName } from '../problem';
import { type Handlers, readId } from '../route';
import { createPublishHandlers, createRollBackHandlers, createVersionHandlers } from './versions';

export type EventHandlersDeps = EventAnswersDeps;

/** Events: drafts with conflict detection, and the versions published from them. */
export function createEventHandlers(deps: EventHandlersDeps) {
  const answers = createEventAnswers(deps);
  return {
    ...createNamedHandlers(deps, answers),
    ...createDraftHandlers(deps, answers),
    ...createVersionHandlers(deps, answers),
    ...createPublishHandlers(deps, answers),
    ...createRollBackHandlers(deps, answers),
  };
}

function createNamedHandlers({ events }: EventHandlersDeps, { answer }: EventAnswers) {
  return {
    async 'GET /api/apps/:appId/events'({ app }) {
      return { events: (await events.list(app.id)).map(toEventRow) };
    },

    'GET /api/apps/:appId/events/:eventId': async (call) =>
      answer(call, readId(call.path.eventId, 'event')),

    async 'POST /api/apps/:appId/events'(call) {
      const id = await events.create(call.actor, call.app.id, call.body.name.trim());
      if (id === undefined) throw nameTaken();
      return answer(call, id);
    },

    async 'PATCH /api/apps/:appId/events/:eventId'(call) {
      const { name, confirm } = call.body;
      const event = await findEvent(events, call);
      if (event.live && confirm !== true) {
        const text = `Callers use this name. Calls of ${event.name} will be refused after the rename.`;
        throw new Refusal('needs_confirmation', text);
      }
      const change = { id: event.id, name: name.trim() };
      if (!(await events.rename(call.actor, call.app.id, change))) throw nameTaken();
      return answer(call, event.id);
    },

    async 'DELETE /api/apps/:appId/events/:eventId'(call) {
      const event = await findEvent(events, call);
      requireName(call.body.confirmName, event.name, 'remove it');
      await events.remove(call.actor, call.app.id, event.id);
      return { success: true };
    },
  } satisfies Partial<Handlers>;
}

function createDraftHandlers({ events }: EventHandlersDeps, answers: EventAnswers) {
  const { answer, check, draftAnswer, save } = answers;
  return {
    async 'PUT /api/apps/:appId/events/:eventId/draft'(call) {
      const { basedOn } = call.body;
      const definition = completeDefinition(call.body.definition);
      refuseRepeatedLocales(definition);
      await save(call, await findEvent(events, call), { basedOn, definition });
      return draftAnswer(call, await findEvent(events, call));
    },

    async 'POST /api/apps/:appId/events/:eventId/check'(call) {
      await findEvent(events, call);
      return check(call, completeDefinition(call.body.definition));
    },

    async 'POST /api/apps/:appId/events/:eventId/discard'(call) {
      const { basedOn } = call.body;
      const event = await findEvent(events, call);
      if (!event.live) throw new Refusal('wrong_state', 'There is no live version to revert to.');
      const { definition } = event.live;
      await save(call, event, { basedOn, definition, action: 'event.draft_discarded' });
      return answer(call, event.id);
    },
  } satisfies Partial<Handlers>;
}

/** With two spellings it would be ambiguous which text is sent. */
function refuseRepeatedLocales(definition: VersionDefinition): void {
  const repeated = Object.keys(definition.channels).flatMap((channel) =>
    findRepeatedLocales(channel, definition),
  );
  const [first] = repeated;
  if (!first) return;
  const fields = repeated.map(({ channel, locale, problem }) => ({
    path: `definition.channels.${channel}.templates.${locale}`,
    problem,
  }));
  throw new Refusal('invalid', first.problem, { fields });
}

function nameTaken(): Refusal {
  return new Refusal('name_taken', 'Another event of this app already has this name.', {
    fields: [{ path: 'name', problem: 'is taken by another event of this app' }],
  });
}
