import type { AppEvent, AppEvents, AppIntegrations, DraftConflict } from '@belfry/database';
import { AppError, type VersionDefinition } from '@belfry/shared';
import type { RequestHandler, Response } from 'express';
import {
  type ConflictDetails,
  type DraftProblem,
  type DraftSavedAnswer,
  draftBody,
  type EventDetail,
  type EventList,
  type EventState,
  newEventBody,
  type PublishDetails,
  type PublishedAnswer,
  previewBody,
  publishBody,
} from '../api-types/events';
import type { Done } from '../api-types/session';
import { actorOf, appOf } from '../call';
import type { FindDraftProblems } from '../events/draft-problems';
import type { Preview } from '../events/preview';
import { createBodyReader } from '../read-body';
import { Refusal } from '../refusal';

export type EventRoutesDeps = {
  events: AppEvents;
  integrations: Pick<AppIntegrations, 'listIntegrations'>;
  findDraftProblems: FindDraftProblems;
  preview: Preview;
};

type OfEvent = { event_id: string };
type Handler = RequestHandler<OfEvent>;

/** Events and what their editor holds. */
type EventRoutes = {
  list: RequestHandler;
  read: Handler;
  create: RequestHandler;
  remove: Handler;
  preview: RequestHandler;
  save: Handler;
  publish: Handler;
};

export function createEventRoutes(deps: EventRoutesDeps): EventRoutes {
  const { events } = deps;
  const readNew = createBodyReader(newEventBody);
  const readPreview = createBodyReader(previewBody);
  const { find, problemsOf } = createFinders(deps);

  async function describe(res: Response, id: string): Promise<EventDetail> {
    const event = await find(res, id);
    const definition = definitionOf(event);
    return {
      ...headOf(event),
      revision: event.revision,
      definition,
      problems: await problemsOf(res, definition),
    };
  }

  const list: RequestHandler = async (_req, res) => {
    const rows = await events.listEvents(appOf(res).id);
    const answer: EventList = {
      events: rows.map((event) => ({
        ...headOf(event),
        channels: Object.keys(definitionOf(event).channels),
      })),
    };
    res.json(answer);
  };

  const read: Handler = async (req, res) => {
    res.json(await describe(res, req.params.event_id));
  };

  const create: RequestHandler = async (req, res) => {
    const { name } = readNew(req);
    const id = await events.addEvent(actorOf(res), { appId: appOf(res).id, name });
    if (id === undefined) {
      throw new Refusal('name_taken', `another event of the app is called ${name}`);
    }
    res.json(await describe(res, id));
  };

  const remove: Handler = async (req, res) => {
    const { id } = await find(res, req.params.event_id);
    await events.removeEvent(actorOf(res), { appId: appOf(res).id, id });
    const answer: Done = { success: true };
    res.json(answer);
  };

  const preview: RequestHandler = (req, res) => {
    const input = readPreview(req);
    const answer = deps.preview(input);
    if (answer) res.json(answer);
    else throw new AppError('validation_failed', 'channel must be one that exists');
  };

  return { list, read, create, remove, preview, ...createDraftRoutes(deps) };
}

function createDraftRoutes(deps: EventRoutesDeps) {
  const { events } = deps;
  const readDraft = createBodyReader(draftBody);
  const readPublish = createBodyReader(publishBody);
  const { find, problemsOf } = createFinders(deps);

  const save: Handler = async (req, res) => {
    const { revision, definition } = readDraft(req);
    const { id } = await find(res, req.params.event_id);
    const write = { appId: appOf(res).id, id, revision };
    const saved = await events.saveDraft(actorOf(res), write, definition);
    if ('conflict' in saved) throw conflict(saved.conflict);
    const problems = await problemsOf(res, definition);
    const answer: DraftSavedAnswer = { ...saved, problems };
    res.json(answer);
  };

  const publish: Handler = async (req, res) => {
    const { revision, note } = readPublish(req);
    const { id, draft } = await find(res, req.params.event_id);
    if (!draft) {
      throw new Refusal('nothing_to_publish', 'nothing was saved that is not live already');
    }
    const problems = await problemsOf(res, draft);
    if (problems.some(({ level }) => level === 'error')) throw refusePublish(problems);
    const write = { appId: appOf(res).id, id, revision };
    const version = { definition: draft, note };
    const published = await events.publishDraft(actorOf(res), write, version);
    if ('conflict' in published) throw conflict(published.conflict);
    const answer: PublishedAnswer = { ...published, warnings: problems };
    res.json(answer);
  };

  return { save, publish };
}

function createFinders({ events, integrations, findDraftProblems }: EventRoutesDeps) {
  return {
    async find(res: Response, id: string): Promise<AppEvent> {
      const event = await events.findAppEvent({ appId: appOf(res).id, id });
      if (!event) throw new AppError('event_not_found');
      return event;
    },
    async problemsOf(res: Response, definition: VersionDefinition): Promise<DraftProblem[]> {
      const { id, delivery } = appOf(res);
      const known = await integrations.listIntegrations(id);
      return findDraftProblems(definition, { delivery, integrations: known });
    },
  };
}

const emptyDefinition: VersionDefinition = {
  defaultLocale: 'en',
  missing: 'empty',
  isSensitive: false,
  channels: {},
};

function definitionOf({ draft, live }: AppEvent): VersionDefinition {
  return draft ?? live ?? emptyDefinition;
}

function headOf(event: AppEvent) {
  const { id, name, liveNumber, publishedAt, updatedAt } = event;
  return {
    id,
    name,
    state: stateOf(event),
    liveNumber,
    publishedAt: publishedAt?.toISOString() ?? null,
    updatedAt: updatedAt.toISOString(),
  };
}

function stateOf({ draft, live }: AppEvent): EventState {
  if (!live) return 'draft';
  return draft ? 'live_with_changes' : 'live';
}

function conflict({ revision, savedAt, savedBy }: DraftConflict): Refusal {
  const details: ConflictDetails = { revision, savedAt: savedAt.toISOString(), savedBy };
  const who = savedBy ?? 'another operator';
  return new Refusal('draft_conflict', `${who} saved this event in the meantime`, { details });
}

function refusePublish(problems: DraftProblem[]): Refusal {
  const details: PublishDetails = { problems };
  return new Refusal('publish_refused', 'the draft has problems: nothing was published', {
    details,
  });
}
