import type { AnyChannel } from '@belfry/channels';
import type {
  AppCategories,
  AppEventRow,
  AppEvents,
  AppIntegrations,
  DraftSave,
  StoredVersion,
} from '@belfry/database';
import { type CheckedDefinition, checkDefinition } from '@belfry/pipeline/configure';
import type { FairQueue } from '@belfry/runtime';
import { emptyDefinition, type VersionDefinition } from '@belfry/shared';
import type { DraftAnswer, EventAnswer, EventRow, VersionAnswer, VersionRow } from '../api/events';
import { sortByChannel } from './channel-order';
import { notFound, Refusal } from './problem';
import { type AppCall, readId } from './route';
import { isSameJson } from './same-json';

export type EventAnswersDeps = {
  channels: Record<string, AnyChannel>;
  events: AppEvents;
  integrations: Pick<AppIntegrations, 'list'>;
  categories: Pick<AppCategories, 'list'>;
  compiling: FairQueue;
};

/** A call of a route with `:eventId`. */
export type EventCall = AppCall & { path: { eventId: string } };

export type EventAnswers = ReturnType<typeof createEventAnswers>;

/** Event answers of the routes, and saving a draft. */
export function createEventAnswers(deps: EventAnswersDeps) {
  const { events } = deps;
  const conflicts = createConflicts(events);

  async function check(
    { app, actor }: AppCall,
    definition: VersionDefinition,
  ): Promise<CheckedDefinition> {
    const [integrations, categories] = await Promise.all([
      deps.integrations.list(app.id),
      deps.categories.list(app.id),
    ]);
    return checkDefinition(definition, {
      channels: deps.channels,
      delivery: app.delivery,
      integrations,
      categories: categories.map(({ slug }) => slug),
      accountId: actor.accountId,
      compiling: deps.compiling,
    });
  }

  async function answer(call: AppCall, id: string): Promise<EventAnswer> {
    const event = await events.find(call.app.id, id);
    if (!event) throw notFound('event');
    const draft = await draftAnswer(call, event);
    return { ...toEventRow(event), draft, live: event.live && toVersionAnswer(event.live, event) };
  }

  async function draftAnswer(call: AppCall, event: AppEventRow): Promise<DraftAnswer> {
    const definition = getDraft(event);
    const { problems, paths } = await check(call, definition);
    return {
      // Every version was validated with the schema of drafts.
      definition: definition as DraftAnswer['definition'],
      revision: event.draftRevision,
      savedAt: (event.draftSavedAt ?? event.updatedAt).getTime(),
      savedBy: event.draftSavedBy,
      problems,
      paths,
      isLive: event.live !== null && isSameJson(definition, event.live.definition),
    };
  }

  async function save(call: AppCall, event: AppEventRow, draft: Omit<DraftSave, 'eventId'>) {
    const isSaved = await events.saveDraft(call.actor, call.app.id, {
      eventId: event.id,
      ...draft,
    });
    if (!isSaved) throw await conflicts.savedBetween(call, event.id);
  }

  return { check, answer, draftAnswer, save, ...conflicts };
}

/** Conflicts with a change of another operator. */
function createConflicts(events: Pick<AppEvents, 'find'>) {
  async function savedBetween({ app }: AppCall, id: string): Promise<Refusal> {
    const event = await events.find(app.id, id);
    if (!event) return notFound('event');
    const who = event.draftSavedBy ?? 'Another operator';
    return new Refusal(
      'draft_changed',
      `${who} saved this draft after you opened it. Compare both before you save.`,
      {
        savedAt: (event.draftSavedAt ?? event.updatedAt).getTime(),
        savedBy: event.draftSavedBy,
      },
    );
  }

  async function liveBetween({ app }: AppCall, id: string): Promise<Refusal> {
    const event = await events.find(app.id, id);
    if (!event?.live) return notFound('event');
    const { number, createdAt, createdBy } = event.live;
    return new Refusal(
      'live_changed',
      `${createdBy ?? 'Another operator'} published v${number} after you opened this page. Review it before you publish.`,
      { savedAt: createdAt.getTime(), savedBy: createdBy },
    );
  }

  return { savedBetween, liveBetween };
}

export async function findEvent(
  events: Pick<AppEvents, 'find'>,
  { app, path }: EventCall,
): Promise<AppEventRow> {
  const event = await events.find(app.id, readId(path.eventId, 'event'));
  if (!event) throw notFound('event');
  return event;
}

/** Initial content of the editor: the draft, else the live version, else an empty definition. */
export function getDraft({ draft, live }: AppEventRow): VersionDefinition {
  return draft ?? live?.definition ?? emptyDefinition;
}

export function toEventRow(event: AppEventRow): EventRow {
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
    channels: sortByChannel(Object.keys(definition.channels)),
    updatedAt: updatedAt.getTime(),
  };
}

export function toVersionRow(
  { id, number, kind, note, rolledBackTo, createdAt, createdBy }: StoredVersion,
  { live }: AppEventRow,
): VersionRow {
  return {
    id,
    number,
    kind,
    note,
    rolledBackTo,
    createdBy,
    createdAt: createdAt.getTime(),
    isLive: live?.id === id,
  };
}

export function toVersionAnswer(version: StoredVersion, event: AppEventRow): VersionAnswer {
  const definition = version.definition as VersionAnswer['definition'];
  return { ...toVersionRow(version, event), definition };
}
