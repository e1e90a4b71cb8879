import type { AppEvents, VersionWithPrevious } from '@belfry/database';
import { completeDefinition, type VersionDefinition } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type {
  EventAnswer,
  FoundVersionAnswer,
  VariablesAnswer,
  VersionListAnswer,
} from '../../api/events';
import { definitionSchema } from '../definition';
import {
  type EventAnswers,
  type EventAnswersDeps,
  findEvent,
  getDraft,
  toVersionAnswer,
  toVersionRow,
} from '../event-answers';
import { compareWithCalls } from '../missing-variables';
import { notFound, Refusal } from '../problem';
import { readBody } from '../read-body';
import { type AppCall, queryText, type Routes, readId } from '../route';

const basedOn = Type.Integer({ minimum: 0 });
const versionId = Type.String({ maxLength: 36 });
const note = Type.Optional(
  Type.String({ maxLength: 500, 'x-problem': 'must have at most 500 characters' }),
);
const publishBody = Type.Object({
  basedOn,
  basedOnLive: Type.Optional(Type.Union([versionId, Type.Null()])),
  note,
});
const rollBackBody = Type.Object({ basedOnLive: versionId, note });
const restoreBody = Type.Object({ basedOn });
const variablesBody = Type.Object({ definition: definitionSchema });
const versionsPageSize = 50;

/** Published versions of an event. */
export function createVersionRoutes(
  { events }: EventAnswersDeps,
  { answer, save }: EventAnswers,
  { inApp }: Routes,
) {
  return {
    listVersions: inApp(async (call): Promise<VersionListAnswer> => {
      const event = await findEvent(events, call);
      const beforeNumber = Number(queryText(call, 'before'));
      const before =
        Number.isSafeInteger(beforeNumber) && beforeNumber > 0 && beforeNumber < 2 ** 31
          ? beforeNumber
          : undefined;
      const page = { eventId: event.id, before, limit: versionsPageSize };
      const rows = await events.listVersions(call.app.id, page);
      const next = rows.length === versionsPageSize ? (rows.at(-1)?.number ?? null) : null;
      return { versions: rows.map((row) => toVersionRow(row, event)), next };
    }),

    readVersion: inApp(async (call): Promise<FoundVersionAnswer> => {
      const event = await findEvent(events, call);
      const version = await findVersion(events, call);
      return { ...toVersionAnswer(version, event), previousId: version.previousId };
    }),

    restore: inApp(async (call) => {
      const { basedOn: revision } = readBody(restoreBody, call.body);
      const event = await findEvent(events, call);
      const { definition } = await findVersion(events, call);
      const action = 'event.version_restored' as const;
      await save(call, event, { basedOn: revision, definition, action });
      return answer(call, event.id);
    }),
  };
}

/** Publishing and rolling back. Versions are never changed or deleted. */
export function createPublishRoutes(
  { events }: EventAnswersDeps,
  { answer, check, savedBetween, liveBetween }: EventAnswers,
  { inApp }: Routes,
) {
  async function requirePublishable(call: AppCall, definition: VersionDefinition, what: string) {
    const { problems } = await check(call, definition);
    if (!problems.some(({ severity }) => severity === 'error')) return;
    throw new Refusal('not_publishable', what, { publishProblems: problems });
  }

  return {
    publish: inApp(async (call): Promise<EventAnswer> => {
      const { note: noteText, ...base } = readBody(publishBody, call.body);
      const event = await findEvent(events, call);
      if (event.draftRevision !== base.basedOn) throw await savedBetween(call, event.id);
      await requirePublishable(call, getDraft(event), 'Fix the errors of the draft first.');
      const { state } = await events.publish(call.actor, call.app.id, {
        eventId: event.id,
        basedOn: base.basedOn,
        basedOnLive: base.basedOnLive,
        note: noteText?.trim() || undefined,
      });
      if (state === 'draft_changed') throw await savedBetween(call, event.id);
      if (state === 'live_changed') throw await liveBetween(call, event.id);
      return answer(call, event.id);
    }),

    rollBack: inApp(async (call): Promise<EventAnswer> => {
      const { basedOnLive, note: noteText } = readBody(rollBackBody, call.body);
      const event = await findEvent(events, call);
      const version = await findVersion(events, call);
      if (version.kind === 'test') throw notFound('version');
      if (event.live?.id !== basedOnLive) throw await liveBetween(call, event.id);
      const what = `v${version.number} can no longer be published. Restore it as the draft and correct it there.`;
      await requirePublishable(call, version.definition, what);
      const { state } = await events.rollBack(call.actor, call.app.id, {
        eventId: event.id,
        versionId: version.id,
        basedOnLive,
        note: noteText?.trim() || undefined,
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
    }),

    variables: inApp(
      async (call): Promise<VariablesAnswer> => {
        const definition = completeDefinition(readBody(variablesBody, call.body).definition);
        const event = await findEvent(events, call);
        const isSensitive = definition.isSensitive || event.live?.definition.isSensitive === true;
        const { paths } = await check(call, definition);
        const calls = isSensitive ? [] : await events.listCallData(call.app.id, event.id);
        return { ...compareWithCalls(paths, calls), isSensitive };
      },
      { allowsViewers: true },
    ),
  };
}

async function findVersion(events: AppEvents, call: AppCall): Promise<VersionWithPrevious> {
  const version = await events.findVersion(call.app.id, {
    eventId: readId(call, 'eventId', 'event'),
    versionId: readId(call, 'versionId', 'version'),
  });
  if (!version) throw notFound('version');
  return version;
}
