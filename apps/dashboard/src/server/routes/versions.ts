import type { AppEvents, VersionWithPrevious } from '@belfry/database';
import { completeDefinition, type VersionDefinition } from '@belfry/shared';
import {
  type EventAnswers,
  type EventAnswersDeps,
  type EventCall,
  findEvent,
  getDraft,
  toVersionAnswer,
  toVersionRow,
} from '../event-answers';
import { compareWithCalls } from '../missing-variables';
import { notFound, Refusal } from '../problem';
import { type AppCall, type Handlers, readId } from '../route';

const versionsPageSize = 50;

/** Published versions of an event. */
export function createVersionHandlers(
  { events }: EventAnswersDeps,
  { answer, save }: EventAnswers,
) {
  return {
    async 'GET /api/apps/:appId/events/:eventId/versions'(call) {
      const event = await findEvent(events, call);
      const before = parseVersionNumber(call.query.before);
      const page = { eventId: event.id, before, limit: versionsPageSize };
      const rows = await events.listVersions(call.app.id, page);
      const next = rows.length === versionsPageSize ? (rows.at(-1)?.number ?? null) : null;
      return { versions: rows.map((row) => toVersionRow(row, event)), next };
    },

    async 'GET /api/apps/:appId/events/:eventId/versions/:versionId'(call) {
      const event = await findEvent(events, call);
      const version = await findVersion(events, call);
      return { ...toVersionAnswer(version, event), previousId: version.previousId };
    },

    async 'POST /api/apps/:appId/events/:eventId/versions/:versionId/restore'(call) {
      const { basedOn } = call.body;
      const event = await findEvent(events, call);
      const version = await findVersion(events, call);
      // The version of a test to the sandbox says so; a draft does not.
      const { delivery: _, ...definition } = version.definition;
      await save(call, event, { basedOn, definition, action: 'event.version_restored' });
      return answer(call, event.id);
    },
  } satisfies Partial<Handlers>;
}

/** Publishing the draft. Versions are never changed or deleted. */
export function createPublishHandlers({ events }: EventAnswersDeps, answers: EventAnswers) {
  const { answer, check, savedBetween, liveBetween } = answers;
  return {
    async 'POST /api/apps/:appId/events/:eventId/publish'(call) {
      const { basedOn, basedOnLive, note } = call.body;
      const event = await findEvent(events, call);
      if (event.draftRevision !== basedOn) throw await savedBetween(call, event.id);
      const what = 'Fix the errors of the draft first.';
      await requirePublishable(answers, call, getDraft(event), what);
      const { state } = await events.publish(call.actor, call.app.id, {
        eventId: event.id,
        basedOn,
        basedOnLive,
        note: note?.trim() || undefined,
      });
      if (state === 'draft_changed') throw await savedBetween(call, event.id);
      if (state === 'live_changed') throw await liveBetween(call, event.id);
      return answer(call, event.id);
    },

    async 'POST /api/apps/:appId/events/:eventId/variables'(call) {
      const definition = completeDefinition(call.body.definition);
      const event = await findEvent(events, call);
      const isSensitive = definition.isSensitive || event.live?.definition.isSensitive === true;
      const { paths } = await check(call, definition);
      const calls = isSensitive ? [] : await events.listCallData(call.app.id, event.id);
      return { ...compareWithCalls(paths, calls), isSensitive };
    },
  } satisfies Partial<Handlers>;
}

/** Publishing an older version again. */
export function createRollBackHandlers({ events }: EventAnswersDeps, answers: EventAnswers) {
  const { answer, liveBetween } = answers;
  return {
    async 'POST /api/apps/:appId/events/:eventId/versions/:versionId/roll-back'(call) {
      const { basedOnLive, note } = call.body;
      const event = await findEvent(events, call);
      const version = await findVersion(events, call);
      if (version.kind === 'test') throw notFound('version');
      if (event.live?.id !== basedOnLive) throw await liveBetween(call, event.id);
      const what = `v${version.number} can no longer be published. Restore it as the draft and correct it there.`;
      await requirePublishable(answers, call, version.definition, what);
      const { state } = await events.rollBack(call.actor, call.app.id, {
        eventId: event.id,
        versionId: version.id,
        basedOnLive,
        note: note?.trim() || undefined,
      });
      switch (state) {
        case 'published':
          return answer(call, event.id);
        case 'not_found':
          throw notFound('version');
        case 'live_changed':
          throw await liveBetween(call, event.id);
        case 'is_live':
          throw new Refusal('wrong_state', `v${version.number} is already live.`);
      }
    },
  } satisfies Partial<Handlers>;
}

async function requirePublishable(
  { check }: EventAnswers,
  call: AppCall,
  definition: VersionDefinition,
  what: string,
): Promise<void> {
  const { problems } = await check(call, definition);
  if (!problems.some(({ severity }) => severity === 'error')) return;
  throw new Refusal('not_publishable', what, { publishProblems: problems });
}

/** A number that PostgreSQL can store as an integer; anything else is ignored. */
function parseVersionNumber(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 && number < 2 ** 31 ? number : undefined;
}

type VersionCall = EventCall & { path: { versionId: string } };

async function findVersion(
  events: AppEvents,
  { app, path }: VersionCall,
): Promise<VersionWithPrevious> {
  const version = await events.findVersion(app.id, {
    eventId: readId(path.eventId, 'event'),
    versionId: readId(path.versionId, 'version'),
  });
  if (!version) throw notFound('version');
  return version;
}
