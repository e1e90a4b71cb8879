import type { DryRun, DryRunMessage } from '@belfry/pipeline/operate';
import type { ReadSend } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import type { RequestHandler } from 'express';
import type { Answer } from '../call';
import { invalidValue, type Query, readQueryValue } from '../query-values';
import type { PutCall } from '../without-idempotency-key';

export type DryRunRouteDeps = { readSend: ReadSend; dryRun: DryRun };

/** `POST /v1/apps/{app_id}/events/send?dry_run=true`: shows what the send would do. */
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

/** bulk_send has no dry run. Ignoring the parameter would send messages that the caller did not want to send. */
export async function refuseDryRun(): Promise<never> {
  throw invalidValue('dry_run', 'is supported only by events/send');
}

/** Uses `dry` for every value of `dry_run` except false. `dry` refuses invalid values. */
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
  reason: Type.Optional(Type.String({ description: 'Why the message would not be sent.' })),
  detail: Type.Optional(Type.String({ description: 'The reason as a sentence.' })),
  target: Type.Optional(Type.String({ description: 'Selected address.' })),
  integration: Type.Optional(
    Type.String({ description: 'Name of the integration. Absent in a sandbox app.' }),
  ),
  provider: Type.Optional(
    Type.String({ description: 'Absent if the channel needs an integration and has none.' }),
  ),
  due_at: Type.Optional(
    Type.Integer({ description: 'Unix milliseconds. Present if the message is due later.' }),
  ),
  request: Type.Optional(
    Type.Object(
      { operation: Type.String(), body: Type.Unknown() },
      { description: 'The provider request, without credentials.' },
    ),
  ),
  notes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  warnings: Type.Array(Type.String()),
});

export const dryRunAnswer = Type.Object({
  success: Type.Literal(true),
  dry_run: Type.Literal(true),
  delivery: Type.Union([Type.Literal('sandbox'), Type.Literal('live')], {
    description: 'Delivery mode of the app.',
  }),
  messages: Type.Array(messageSchema, {
    description: 'One entry for each target, and one for each channel without a target.',
  }),
});

type DryRunAnswer = Static<typeof dryRunAnswer>;

/** Without the suppression, because it names an operator. A message that would wait has a warning. */
function toWire({
  dueAt,
  suppression: _,
  wouldWait: _wouldWait,
  ...message
}: DryRunMessage): DryRunAnswer['messages'][number] {
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
          headers: { 'Auto-Submitted': 'auto-generated' },
          attachments: [],
        },
      },
      warnings: [
        'This channel of the event has no integration. Live delivery would skip the message.',
      ],
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
