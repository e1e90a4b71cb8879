import type { DryRun, DryRunMessage } from '@belfry/pipeline/operate';
import type { ReadSend } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import type { RequestHandler } from 'express';
import type { Answer } from '../answer';
import { invalidValue, type Query, readQueryValue } from '../query-values';
import type { PutCall } from '../without-idempotency-key';

export type DryRunRouteDeps = { readSend: ReadSend; dryRun: DryRun };

/** `POST /v1/apps/{app_id}/events/send?dry_run=true`: what the call would do. */
export function createDryRunRoute({ readSend, dryRun }: DryRunRouteDeps) {
  async function answer({ caller, body, query }: PutCall): Promise<Answer> {
    checkDryRun(query);
    const { eventName, item } = readSend(body);
    const { delivery, messages } = await dryRun({ app: caller.app, eventName, item });
    const answerBody: DryRunAnswer = {
      success: true,
      dry_run: true,
      delivery,
      messages: messages.map(toWire),
    };
    return { status: 200, body: JSON.stringify(answerBody) };
  }

  return { answer };
}

/** A batch cannot be tried, and a caller who asks for that wants nothing to be sent. */
export async function refuseDryRun(): Promise<never> {
  throw invalidValue('dry_run', 'is for events/send only');
}

/** Takes `dry` where the query says dry_run, whatever it says beside false; `dry` refuses what it does not know. */
export function withDryRun(real: RequestHandler, dry: RequestHandler): RequestHandler {
  return (req, res, next) => (isDryRun(req.query) ? dry : real)(req, res, next);
}

function isDryRun(query: Query): boolean {
  const value = Object.hasOwn(query, 'dry_run') ? query['dry_run'] : undefined;
  return value !== undefined && value !== 'false';
}

function checkDryRun(query: Query): void {
  if (readQueryValue(query, 'dry_run') !== 'true')
    throw invalidValue('dry_run', 'must be true or false');
}

const messageSchema = Type.Object({
  channel: Type.String(),
  would: Type.Union([Type.Literal('send'), Type.Literal('skip'), Type.Literal('fail')]),
  reason: Type.Optional(Type.String({ description: 'Why it would not be sent.' })),
  detail: Type.Optional(Type.String({ description: 'The same as a sentence.' })),
  target: Type.Optional(Type.String({ description: 'The address that was chosen.' })),
  integration: Type.Optional(
    Type.String({ description: 'By its name; none in the sandbox’s app.' }),
  ),
  provider: Type.Optional(Type.String()),
  due_at: Type.Optional(Type.Integer({ description: 'Unix milliseconds, where it is later.' })),
  request: Type.Optional(
    Type.Object(
      { operation: Type.String(), body: Type.Unknown() },
      { description: 'As the provider would get it, without any credential.' },
    ),
  ),
  notes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  warnings: Type.Array(Type.String()),
});

export const dryRunAnswer = Type.Object({
  success: Type.Literal(true),
  dry_run: Type.Literal(true),
  delivery: Type.Union([Type.Literal('sandbox'), Type.Literal('live')], {
    description: 'Where the app’s messages go.',
  }),
  messages: Type.Array(messageSchema, {
    description: 'One for each target, and one for each channel that has none.',
  }),
});

type DryRunAnswer = Static<typeof dryRunAnswer>;

function toWire({ dueAt, ...message }: DryRunMessage): DryRunAnswer['messages'][number] {
  return { ...message, ...(dueAt ? { due_at: dueAt.getTime() } : {}) };
}

export const dryRunExample: DryRunAnswer = {
  success: true,
  dry_run: true,
  delivery: 'sandbox',
  messages: [
    {
      channel: 'email',
      would: 'send',
      target: 'ana@example.com',
      provider: 'smtp',
      request: {
        operation: 'SMTP',
        body: {
          message_id: '0199b1f5-21c8-7e0a-b3d4-5c6f70819a2b@localhost',
          from: { name: '', address: '' },
          to: 'ana@example.com',
          cc: [],
          bcc: [],
          subject: 'Order',
          text: 'Hello Ana',
          headers: {},
          attachments: [],
        },
      },
      warnings: [],
    },
    {
      channel: 'slack',
      would: 'skip',
      reason: 'no_address',
      detail: 'The recipient has no Slack channel_id or email.',
      warnings: [],
    },
  ],
};
