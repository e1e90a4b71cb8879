import type { AnyChannel } from '@belfry/channels';
import type { AppEventRow, AppEvents, AppIntegrations, StoredVersion } from '@belfry/database';
import type { VersionDefinition } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type {
  CheckDraftAnswer,
  DraftAnswer,
  EventAnswer,
  EventListAnswer,
  EventRow,
  VersionAnswer,
  VersionListAnswer,
  VersionRow,
} from '../../api/events';
import {
  type CheckedDefinition,
  checkDefinition,
  definitionSchema,
  emptyDefinition,
} from '../definition';
import { inPealOrder } from '../peal';
import { notFound, Refusal } from '../problem';
import { confirmSchema, readBody } from '../read-body';
import { type AppCall, idOf, queryText, type Routes } from '../route';
import { isSameJson } from '../same-json';
import { requireName } from './apps';

export type EventRoutesDeps = {
  channels: Record<string, AnyChannel>;
  events: AppEvents;
  integrations: Pick<AppIntegrations, 'list'>;
};

const eventName = Type.String({
  maxLength: 128,
  pattern: '\\S',
  'x-problem': 'must have 1 to 128 characters, not all of them blank',
});
const newBody = Type.Object({ name: eventName });
const renameBody = Type.Object({ name: eventName, confirm: confirmSchema });
const removeBody = Type.Object({ confirmName: Type.String() });
const basedOn = Type.Integer({ minimum: 0 });
const saveBody = Type.Object({ basedOn, definition: definitionSchema });
const checkBody = Type.Object({ definition: definitionSchema });
const publishBody = Type.Object({
  basedOn,
  note: Type.Optional(Type.String({ maxLength: 1_000 })),
});
const revisionBody = Type.Object({ basedOn });
const versionsPageSize = 50;

/** Events: drafts that operators write without overwriting each other, and the versions that are made of them. */
export function createEventRoutes(deps: EventRoutesDeps, routes: Routes) {
  const answers = createEventAnswers(deps);
  return {
    ...createNamedRoutes(deps, answers, routes),
    ...createDraftRoutes(deps, answers, routes),
    ...createVersionRoutes(deps, answers, routes),
  };
}

function createNamedRoutes(
  { events }: EventRoutesDeps,
  { answer }: EventAnswers,
  { inApp }: Routes,
) {
  return {
    list: inApp(async ({ app }): Promise<EventListAnswer> => {
      return { events: (await events.list(app.id)).map(rowOf) };
    }),

    read: inApp(async (call) => answer(call, idOf(call, 'eventId', 'event'))),

    create: inApp(async (call) => {
      const { name } = readBody(newBody, call.body);
      const id = await events.create(call.actor, call.app.id, name.trim());
      if (id === undefined) throw taken();
      return answer(call, id);
    }),

    rename: inApp(async (call) => {
      const { name, confirm } = readBody(renameBody, call.body);
      const event = await findEvent(events, call);
      if (event.live && confirm !== true) {
        const text = `Callers name this event: calls that say ${event.name} will be refused.`;
        throw new Refusal('needs_confirmation', text);
      }
      const renamed = { id: event.id, name: name.trim() };
      if (!(await events.rename(call.actor, call.app.id, renamed))) throw taken();
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
  const { answer, check, draftAnswer, save, savedBetween } = answers;
  return {
    saveDraft: inApp(async (call): Promise<DraftAnswer> => {
      const body = readBody(saveBody, call.body);
      const event = await findEvent(events, call);
      await save(call, event, body);
      return draftAnswer(call, await findEvent(events, call));
    }),

    checkDraft: inApp(
      async (call): Promise<CheckDraftAnswer> => {
        const { definition } = readBody(checkBody, call.body);
        await findEvent(events, call);
        return check(call, definition);
      },
      { mayViewer: true },
    ),

    publish: inApp(async (call) => {
      const { basedOn: revision, note } = readBody(publishBody, call.body);
      const event = await findEvent(events, call);
      if (event.draftRevision !== revision) throw await savedBetween(call, event.id);
      const definition = draftOf(event);
      const { problems } = await check(call, definition);
      if (problems.some(({ severity }) => severity === 'error')) {
        const text = 'The draft cannot be published yet.';
        throw new Refusal('not_publishable', text, { publishProblems: problems });
      }
      const publish = { eventId: event.id, basedOn: revision, note: note?.trim() || undefined };
      const version = await events.publish(call.actor, call.app.id, publish);
      if (!version) throw await savedBetween(call, event.id);
      return answer(call, event.id);
    }),

    discard: inApp(async (call) => {
      const { basedOn: revision } = readBody(revisionBody, call.body);
      const event = await findEvent(events, call);
      if (!event.live) throw new Refusal('wrong_state', 'There is no live version to go back to.');
      await save(call, event, { basedOn: revision, definition: event.live.definition });
      return answer(call, event.id);
    }),
  };
}

function createVersionRoutes(
  { events }: EventRoutesDeps,
  { answer, save }: EventAnswers,
  { inApp }: Routes,
) {
  return {
    listVersions: inApp(async (call): Promise<VersionListAnswer> => {
      const event = await findEvent(events, call);
      const given = Number(queryText(call, 'before'));
      const before =
        Number.isSafeInteger(given) && given > 0 && given < 2 ** 31 ? given : undefined;
      const page = { eventId: event.id, before, limit: versionsPageSize };
      const rows = await events.listVersions(call.app.id, page);
      const next = rows.length === versionsPageSize ? (rows.at(-1)?.number ?? null) : null;
      return { versions: rows.map((row) => versionRow(row, event)), next };
    }),

    readVersion: inApp(async (call): Promise<VersionAnswer> => {
      const event = await findEvent(events, call);
      return versionAnswer(await findVersion(events, call), event);
    }),

    restore: inApp(async (call) => {
      const { basedOn: revision } = readBody(revisionBody, call.body);
      const event = await findEvent(events, call);
      const { definition } = await findVersion(events, call);
      await save(call, event, { basedOn: revision, definition });
      return answer(call, event.id);
    }),
  };
}

type EventAnswers = ReturnType<typeof createEventAnswers>;

/** What the routes say of an event, and how they save its draft. */
function createEventAnswers(deps: EventRoutesDeps) {
  const { events } = deps;

  async function check(
    { app }: AppCall,
    definition: VersionDefinition,
  ): Promise<CheckedDefinition> {
    const integrations = await deps.integrations.list(app.id);
    return checkDefinition(definition, {
      channels: deps.channels,
      delivery: app.delivery,
      integrations,
    });
  }

  async function answer(call: AppCall, id: string): Promise<EventAnswer> {
    const event = await events.find(call.app.id, id);
    if (!event) throw notFound('event');
    const draft = await draftAnswer(call, event);
    return { ...rowOf(event), draft, live: event.live && versionAnswer(event.live, event) };
  }

  async function draftAnswer(call: AppCall, event: AppEventRow): Promise<DraftAnswer> {
    const definition = draftOf(event);
    const { problems, paths } = await check(call, definition);
    return {
      // What a version may hold is what the schema of drafts says.
      definition: definition as DraftAnswer['definition'],
      revision: event.draftRevision,
      savedAt: (event.draftSavedAt ?? event.updatedAt).getTime(),
      savedBy: event.draftSavedBy,
      problems,
      paths,
      isLive: event.live !== null && isSameJson(definition, event.live.definition),
    };
  }

  async function save(
    call: AppCall,
    event: AppEventRow,
    draft: { basedOn: number; definition: VersionDefinition },
  ) {
    const isSaved = await events.saveDraft(call.actor, call.app.id, {
      eventId: event.id,
      ...draft,
    });
    if (!isSaved) throw await savedBetween(call, event.id);
  }

  async function savedBetween({ app }: AppCall, id: string): Promise<Refusal> {
    const event = await events.find(app.id, id);
    if (!event) return notFound('event');
    const who = event.draftSavedBy ?? 'Somebody else';
    return new Refusal(
      'draft_changed',
      `${who} saved this draft in between. Look at both before you save yours.`,
      {
        savedAt: (event.draftSavedAt ?? event.updatedAt).getTime(),
        savedBy: event.draftSavedBy,
      },
    );
  }

  return { check, answer, draftAnswer, save, savedBetween };
}

export async function findEvent(
  events: Pick<AppEvents, 'find'>,
  call: AppCall,
): Promise<AppEventRow> {
  const event = await events.find(call.app.id, idOf(call, 'eventId', 'event'));
  if (!event) throw notFound('event');
  return event;
}

/** What the editor begins with: the draft, else what is live, else nothing. */
export function draftOf({ draft, live }: AppEventRow): VersionDefinition {
  return draft ?? live?.definition ?? emptyDefinition;
}

async function findVersion(events: AppEvents, call: AppCall): Promise<StoredVersion> {
  const version = await events.findVersion(call.app.id, {
    eventId: idOf(call, 'eventId', 'event'),
    versionId: idOf(call, 'versionId', 'version'),
  });
  if (!version) throw notFound('version');
  return version;
}

function rowOf(event: AppEventRow): EventRow {
  const { id, name, live, draft, updatedAt } = event;
  const isChanged = draft !== null && live !== null && !isSameJson(draft, live.definition);
  const liveState = isChanged ? 'changed' : 'live';
  const definition = live?.definition ?? draft ?? emptyDefinition;
  return {
    id,
    name,
    state: live ? liveState : 'draft',
    liveNumber: live?.number ?? null,
    liveSince: live?.createdAt.getTime() ?? null,
    channels: inPealOrder(Object.keys(definition.channels)),
    updatedAt: updatedAt.getTime(),
  };
}

function versionRow(
  { id, number, note, createdAt, createdBy }: StoredVersion,
  { live }: AppEventRow,
): VersionRow {
  return { id, number, note, createdBy, createdAt: createdAt.getTime(), isLive: live?.id === id };
}

function versionAnswer(version: StoredVersion, event: AppEventRow): VersionAnswer {
  const definition = version.definition as VersionAnswer['definition'];
  return { ...versionRow(version, event), definition };
}

function taken(): Refusal {
  return new Refusal('name_taken', 'An event of this app has this name already.', {
    fields: [{ path: 'name', problem: 'is taken' }],
  });
}
