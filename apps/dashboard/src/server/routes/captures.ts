import {
  type AppCaptures,
  type CaptureGroup,
  type CaptureRow,
  capturesOfPage,
} from '@belfry/pipeline/operate';
import { isUuid } from '@belfry/shared';
import type { Capture, CaptureAnswer } from '../../api/captures';
import { sortByChannel } from '../channel-order';
import { notFound, Refusal } from '../problem';
import { type Handlers, readId } from '../route';

export type CaptureHandlersDeps = { captures: AppCaptures };

const maxWords = 8;
const maxTextCharacters = 200;
const sensitiveMask = '***';

/** The sandbox: messages captured instead of sent. */
export function createCaptureHandlers({ captures }: CaptureHandlersDeps) {
  return {
    async 'GET /api/apps/:appId/captures'({ app, query: { channel, event, text, before } }) {
      if (before !== undefined && !isUuid(before)) throw notFound('page');
      const rows = await captures.list({
        appId: app.id,
        channel,
        event,
        words: toWords(text),
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
    },

    async 'GET /api/apps/:appId/captures/:captureId'({ app, path }) {
      const id = readId(path.captureId, 'capture');
      const group = await captures.find(app.id, id);
      if (!group) throw notFound('capture');
      return { id, ...toGroupAnswer(group) };
    },

    async 'DELETE /api/apps/:appId/captures/:captureId'({ app, actor, path }) {
      const capture = { appId: app.id, id: readId(path.captureId, 'capture') };
      if (!(await captures.remove(actor, capture))) throw notFound('capture');
      return { success: true };
    },

    async 'DELETE /api/apps/:appId/captures'({ app, actor, body }) {
      if (body.confirm !== true) {
        throw new Refusal(
          'needs_confirmation',
          'This deletes every capture of the app and its rendered content in the log. Requests and states are kept.',
        );
      }
      return { removed: await captures.removeAll(actor, app.id) };
    },
  } satisfies Partial<Handlers>;
}

function toWords(text = ''): string[] {
  const words = text.slice(0, maxTextCharacters).toLowerCase().split(/\s+/);
  return words.filter(Boolean).slice(0, maxWords);
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
