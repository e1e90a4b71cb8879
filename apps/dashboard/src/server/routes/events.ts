import { completeDefinition, type VersionDefinition } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type { CheckDraftAnswer, DraftAnswer, EventListAnswer } from '../../api/events';
import { definitionSchema, findRepeatedLocales } from '../definition';
import {
  createEventAnswers,
  type EventAnswers,
  type EventAnswersDeps,
  findEvent,
  toEventRow,
} from '../event-answers';
import { Refusal } from '../problem';
import { confirmSchema, readBody } from '../read-body';
import { type Routes, readId } from '../route';
import { requireName } from './apps';
import { createPublishRoutes, createVersionRoutes } from './versions';

export type EventRoutesDeps = EventAnswersDeps;

const eventName = Type.String({
  maxLength: 128,
  pattern: '\\S',
  'x-problem': 'must have 1 to 128 characters and not be blank',
});
const newBody = Type.Object({ name: eventName });
const renameBody = Type.Object({ name: eventName, confirm: confirmSchema });
const removeBody = Type.Object({ confirmName: Type.String() });
const basedOn = Type.Integer({ minimum: 0 });
const saveBody = Type.Object({ basedOn, definition: definitionSchema });
const checkBody = Type.Object({ definition: definitionSchema });
const revisionBody = Type.Object({ basedOn });

/** Events: drafts with conflict detection, and the versions published from them. */
export function createEventRoutes(deps: EventRoutesDeps, routes: Routes) {
  const answers = createEventAnswers(deps);
  return {
    ...createNamedRoutes(deps, answers, routes),
    ...createDraftRoutes(deps, answers, routes),
    ...createVersionRoutes(deps, answers, routes),
    ...createPublishRoutes(deps, answers, routes),
  };
}

function createNamedRoutes(
  { events }: EventRoutesDeps,
  { answer }: EventAnswers,
  { inApp }: Routes,
) {
  return {
    list: inApp(async ({ app }): Promise<EventListAnswer> => {
      return { events: (await events.list(app.id)).map(toEventRow) };
    }),

    read: inApp(async (call) => answer(call, readId(call, 'eventId', 'event'))),

    create: inApp(async (call) => {
      const { name } = readBody(newBody, call.body);
      const id = await events.create(call.actor, call.app.id, name.trim());
      if (id === undefined) throw nameTaken();
      return answer(call, id);
    }),

    rename: inApp(async (call) => {
      const { name, confirm } = readBody(renameBody, call.body);
      const event = await findEvent(events, call);
      if (event.live && confirm !== true) {
        const text = `Callers use this name. Calls of ${event.name} will be refused after the rename.`;
        throw new Refusal('needs_confirmation', text);
      }
      const change = { id: event.id, name: name.trim() };
      if (!(await events.rename(call.actor, call.app.id, change))) throw nameTaken();
      return answer(call, event.id);
    }),

    remove: inApp(async (call) => {
      const event = await findEvent(events, call);
      requireName(readBody(removeBody, call.body).confirmName, event.name);
      await events.remove(call.actor, call.app.id, event.id);
      return { success: true };
    }),
  };
}

function createDraftRoutes({ events }: EventRoutesDeps, answers: EventAnswers, { inApp }: Routes) {
  const { answer, check, draftAnswer, save } = answers;
  return {
    saveDraft: inApp(async (call): Promise<DraftAnswer> => {
      const { basedOn: revision, definition } = readBody(saveBody, call.body);
      const fullDefinition = completeDefinition(definition);
      refuseRepeatedLocales(fullDefinition);
      const event = await findEvent(events, call);
      await save(call, event, { basedOn: revision, definition: fullDefinition });
      return draftAnswer(call, await findEvent(events, call));
    }),

    checkDraft: inApp(
      async (call): Promise<CheckDraftAnswer> => {
        const { definition } = readBody(checkBody, call.body);
        await findEvent(events, call);
        return check(call, completeDefinition(definition));
      },
      { allowsViewers: true },
    ),

    discard: inApp(async (call) => {
      const { basedOn: revision } = readBody(revisionBody, call.body);
      const event = await findEvent(events, call);
      if (!event.live) throw new Refusal('wrong_state', 'There is no live version to revert to.');
      const definition = event.live.definition;
      await save(call, event, { basedOn: revision, definition, action: 'event.draft_discarded' });
      return answer(call, event.id);
    }),
  };
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
    fields: [{ path: 'name', problem: 'is taken' }],
  });
}
