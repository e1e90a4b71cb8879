import type {
  AnyChannel,
  IntegrationInput,
  ReceiptDownloads,
  ReceiptReader,
  Reply,
} from '@belfry/channels';
import { type IntegrationRow, openCredentials } from '@belfry/database';
import {
  createStoreReports,
  type NewReplies,
  type ReplyEffect,
  type StoreReportsDeps,
} from '@belfry/pipeline/operate';
import { type Awaitable, isReceiptSecret, type Logger, type Secrets } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { Request, RequestHandler } from 'express';
import { getCall, sendAnswer } from '../call';
import { refuseEncoding } from '../middleware/before-body';
import type { ReadBody } from '../middleware/read-body';

export type ReceiptRoutesDeps = {
  receipts: Omit<StoreReportsDeps, 'log'> & {
    /** All channels. Their providers parse the receipts. */
    channels: Record<string, AnyChannel>;
    findIntegration(id: string): Awaitable<IntegrationRow | undefined>;
    secrets: Pick<Secrets, 'open' | 'fingerprint' | 'keyIds'>;
    downloads: ReceiptDownloads;
    storeReplies(replies: NewReplies): Promise<ReplyEffect[]>;
  };
  findApp(id: string): Awaitable<{ accountId: string } | undefined>;
  publicUrl: string;
  log: Logger;
};

export const maxReceiptBytes = 1_000_000;

/** `/v1/receipts/{integration_id}/{secret}`: the delivery reports of providers, and what people reply to a sender. */
export function createReceiptRoutes(
  { receipts, findApp, publicUrl, log }: ReceiptRoutesDeps,
  readBody: ReadBody,
): Record<'read' | 'handshake', RequestHandler> {
  const base = publicUrl.replace(/(?<!\/)\/+$/, '');
  const storeReports = createStoreReports({ ...receipts, log });

  const read: RequestHandler = async function readReceipts(req, res) {
    const { integration, reader } = await find(req);
    refuseEncoding(req);
    const app = await findApp(integration.appId);
    const rawBody = await readBody(req, res, app?.accountId ?? integration.appId);
    const url = `${base}${req.originalUrl}`;
    const call = { ...open(integration), url, headers: req.headers, rawBody };
    const reports = await reader.read(call, receipts.downloads);
    if (!reports) throw notSigned();
    getCall(res).appId = integration.appId;
    await storeReports({ integration, reports, rawBody });
    await storeReplies(integration, reader.readReplies?.(call) ?? []);
    const { body, type } = reader.answer ?? { body: '{"success":true}', type: undefined };
    sendAnswer(res, { status: 200, body, ...(type ? { headers: { 'Content-Type': type } } : {}) });
  };

  const handshake: RequestHandler = async function answerHandshake(req, res) {
    const { integration, reader } = await find(req);
    const { searchParams: query } = new URL(req.originalUrl, 'http://localhost');
    const challenge = reader.handshake?.({ ...open(integration), query });
    if (challenge === undefined) throw notSigned();
    sendAnswer(res, {
      status: 200,
      body: challenge,
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    });
  };

  return { read, handshake };

  async function storeReplies({ id, appId, channel }: IntegrationRow, replies: Reply[]) {
    if (replies.length === 0) return;
    const effects = await receipts.storeReplies({ appId, channel, replies });
    effects.forEach(({ counts }, index) => {
      const facts = { integration_id: id, app_id: appId, outcome: replies[index]?.wish };
      if (counts) log.info('reply.stored', facts);
    });
  }

  /** A URL that Belfry did not create gets the same answer as a forged call. */
  async function find(
    req: Request,
  ): Promise<{ integration: IntegrationRow; reader: ReceiptReader }> {
    const { integration_id: id = '', secret = '' } = req.params;
    const isOurs = isReceiptSecret(receipts.secrets, String(id), String(secret));
    const integration = isOurs ? await receipts.findIntegration(String(id)) : undefined;
    const channel = integration && receipts.channels[integration.channel];
    const reader = channel?.providers[integration?.provider ?? '']?.receipts;
    if (!integration || !reader) throw notSigned();
    return { integration, reader };
  }

  function open(integration: IntegrationRow): IntegrationInput {
    const { settings } = integration;
    return { settings, credentials: openCredentials(integration, receipts.secrets) };
  }
}

function notSigned(): AppError {
  return new AppError('signature_invalid');
}
