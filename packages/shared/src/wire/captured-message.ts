import { Type } from '@sinclair/typebox';
import { definedOnly } from './members';

/** One attempt that the sandbox captured instead of a provider. */
export type CapturedMessage = {
  id: string;
  messageId: string;
  /** Undefined if the request was deleted, like every field below that comes from it. */
  requestId: string | undefined;
  event: string | undefined;
  channel: string;
  target: string;
  /** Starts at 1. */
  attempt: number;
  outcome: string;
  /** As the channel composed it; a placeholder for a sensitive event. */
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
  to: Type.String({ description: 'The address in the form that the provider receives.' }),
  subject: text('Subject of an e-mail; title of a push or in-app message.'),
  text: text('The text that the recipient reads, on every channel.'),
  html: text('HTML of an e-mail.'),
  content: Type.Unknown({ description: 'The complete content, as the channel composed it.' }),
  data: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: '`data` of the request.' }),
  ),
  provider: Type.String({ description: 'The provider that would have been called.' }),
  request: Type.Unknown({
    description: 'The call to the provider: `operation` and `body`, without credentials.',
  }),
  attempt: Type.Integer({
    minimum: 1,
    description: 'Number of the attempt. Each attempt is captured.',
  }),
  outcome: Type.String({
    description: 'accepted; or rejected, retry or unknown if a magic recipient requests it.',
  }),
  captured_at: Type.Integer({ description: 'Unix milliseconds.' }),
});

export const sandboxWaitAnswer = Type.Object({
  messages: Type.Array(capturedMessageAnswer, {
    description: 'Newest first; empty if the wait ended without a message.',
  }),
  next: Type.String({
    description: 'Pass it as `after` in a later call to get only newer captures.',
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

/** Reads the field names that channels share, so that a new channel needs no code here. */
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
