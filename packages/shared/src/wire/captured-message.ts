import { Type } from '@sinclair/typebox';
import { definedOnly } from './defined-only';

/** What the sandbox took in place of a provider, once an attempt. */
export type CapturedMessage = {
  id: string;
  messageId: string;
  /** Undefined where the request was removed since, as is all that follows from it. */
  requestId: string | undefined;
  event: string | undefined;
  channel: string;
  target: string;
  /** Counted from 1. */
  attempt: number;
  outcome: string;
  /** As the channel composed it; of a sensitive event what stands in its place. */
  content: unknown;
  data: unknown;
  provider: string;
  request: unknown;
  capturedAtMs: number;
};

const uuid = Type.String({ format: 'uuid' });
const text = (description: string) => Type.Optional(Type.String({ description }));

export const capturedMessageAnswer = Type.Object({
  id: uuid,
  request_id: Type.Optional(uuid),
  message_id: uuid,
  event: Type.Optional(Type.String()),
  channel: Type.String(),
  to: Type.String({ description: 'The address in the form that the channel sends to.' }),
  subject: text('Of a mail; the title of a push or an in-app message.'),
  text: text('What a person reads, on every channel.'),
  html: text('Of a mail.'),
  content: Type.Unknown({ description: 'All of it, as the channel composed it.' }),
  data: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Of the call that sent it.' }),
  ),
  provider: Type.String({ description: 'Whose call it would have been.' }),
  request: Type.Unknown({
    description: 'That call: `operation` and `body`, without a credential.',
  }),
  attempt: Type.Integer({ minimum: 1, description: 'Each attempt is captured.' }),
  outcome: Type.String({
    description: 'accepted; rejected, retry or unknown where a magic recipient asks for it.',
  }),
  captured_at: Type.Integer({ description: 'Unix milliseconds.' }),
});

export const sandboxWaitAnswer = Type.Object({
  messages: Type.Array(capturedMessageAnswer, {
    description: 'Newest first; empty where the time ended before there was one.',
  }),
  next: Type.String({
    description: 'The `after` of a later call that is to see only what was captured since.',
  }),
});

export function capturedMessageToWire(captured: CapturedMessage): object {
  const { content, messageId, requestId, capturedAtMs, target, ...same } = captured;
  return definedOnly({
    ...same,
    request_id: requestId,
    message_id: messageId,
    to: target,
    ...readTexts(content),
    content,
    captured_at: capturedAtMs,
  });
}

/** By the names that channels have in common, so that a new channel needs nothing here. */
function readTexts(content: unknown): { subject?: string; text?: string; html?: string } {
  if (typeof content !== 'object' || content === null) return {};
  const members = new Map<string, unknown>(Object.entries(content));
  const first = (...names: string[]) =>
    names
      .map((name) => members.get(name))
      .find((value): value is string => typeof value === 'string' && value !== '');
  return definedOnly({
    subject: first('subject', 'title'),
    text: first('text', 'body', 'preview'),
    html: first('html'),
  });
}
