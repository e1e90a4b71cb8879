import {
  type AppCaptures,
  type CaptureGroup,
  type CaptureRow,
  capturesOfPage,
} from '@belfry/pipeline/operate';
import { isUuid } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type {
  Capture,
  CaptureAnswer,
  CaptureListAnswer,
  RemoveCapturesAnswer,
} from '../../api/captures';
import type { Done } from '../../api/session';
import { sortByChannel } from '../channel-order';
import { notFound, Refusal } from '../problem';
import { confirmSchema, readBody } from '../read-body';
import { type AppCall, queryText, type Routes, readId } from '../route';

export type CaptureRoutesDeps = { captures: AppCaptures };

const removeAllBody = Type.Object({ confirm: confirmSchema });
const maxWords = 8;
const maxTextCharacters = 200;
const sensitiveMask = '***';

/** The sandbox: messages captured instead of sent. */
export function createCaptureRoutes({ captures }: CaptureRoutesDeps, { inApp }: Routes) {
  return {
    list: inApp(async (call): Promise<CaptureListAnswer> => {
      const before = queryText(call, 'before');
      if (before !== undefined && !isUuid(before)) throw notFound('page');
      const rows = await captures.list({
        appId: call.app.id,
        channel: queryText(call, 'channel'),
        event: queryText(call, 'event'),
        words: readWords(call),
        before,
      });
      const page = rows.slice(0, capturesOfPage);
      const next = rows.length > capturesOfPage ? (page.at(-1)?.id ?? null) : null;
      return {
        captures: page.map(({ capturedAt, line, ...same }) => ({
          ...same,
          line: line ?? '',
          capturedAt: capturedAt.getTime(),
        })),
        next,
      };
    }),

    read: inApp(async (call): Promise<CaptureAnswer> => {
      const id = readId(call, 'captureId', 'capture');
      const group = await captures.find(call.app.id, id);
      if (!group) throw notFound('capture');
      return { id, ...toGroupAnswer(group) };
    }),

    remove: inApp(async (call): Promise<Done> => {
      const capture = { appId: call.app.id, id: readId(call, 'captureId', 'capture') };
      if (!(await captures.remove(call.actor, capture))) throw notFound('capture');
      return { success: true };
    }),

    removeAll: inApp(async (call): Promise<RemoveCapturesAnswer> => {
      const { confirm } = readBody(removeAllBody, call.body);
      if (confirm !== true) {
        throw new Refusal(
          'needs_confirmation',
          'This deletes every capture of the app and its rendered content in the log. Requests and states are kept.',
        );
      }
      return { removed: await captures.removeAll(call.actor, call.app.id) };
    }),
  };
}

function readWords(call: AppCall): string[] {
  const text = queryText(call, 'text')?.slice(0, maxTextCharacters).toLowerCase() ?? '';
  return text.split(/\s+/).filter(Boolean).slice(0, maxWords);
}

function toGroupAnswer({
  captures,
  data,
  isSensitive,
  ...head
}: CaptureGroup): Omit<CaptureAnswer, 'id'> {
  const order = sortByChannel([...new Set(captures.map(({ channel }) => channel))]);
  return {
    ...head,
    isSensitive,
    data: isSensitive ? sensitiveMask : parseData(data),
    captures: order.flatMap((name) =>
      captures.filter(({ channel }) => channel === name).map(toCapture),
    ),
  };
}

function parseData(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

function toCapture({ capturedAt, notes, ...same }: CaptureRow): Capture {
  return { ...same, capturedAt: capturedAt.getTime(), notes: notes ?? {} };
}
