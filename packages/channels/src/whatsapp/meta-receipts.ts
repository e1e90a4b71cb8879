import { createHmac, timingSafeEqual } from 'node:crypto';
import { type ReceiptState, receiptStates } from '@belfry/shared';
import type { HandshakeCall, LocalReceiptReader, ReceiptCall, ReceiptReport } from '../channel';
import { isSameSecret } from '../is-same-secret';
import { parseJson } from '../read-json';
import { getPhoneNumberId, listChanges, parseId, toRecords } from './meta-changes';
import { findMetaCode, getContactUpdates, getRefusalReason } from './meta-codes';
import { readMetaReplies } from './meta-replies';
import { getErrorCode } from './meta-response';

/** Meta's webhook: signed with the app's secret, with several reports and replies in one call. */
export const metaReceipts: LocalReceiptReader = {
  handshake({ query, credentials }: HandshakeCall) {
    const { verify_token: token } = credentials;
    const challenge = query.get('hub.challenge') ?? '';
    if (query.get('hub.mode') !== 'subscribe' || !challengeForm.test(challenge)) return undefined;
    return isSameSecret(query.get('hub.verify_token') ?? '', token) ? challenge : undefined;
  },

  read({ rawBody, headers, credentials, settings }: ReceiptCall) {
    const signature = headers['x-hub-signature-256'];
    if (typeof signature !== 'string' || !isSigned(rawBody, signature, credentials)) {
      return undefined;
    }
    const sender = getSender(settings);
    return listStatuses(parseJson(rawBody)).flatMap((status) => toReports(status, sender));
  },

  readReplies: ({ rawBody, settings }) => readMetaReplies(parseJson(rawBody), getSender(settings)),
};

function getSender({ sender }: Record<string, unknown>): string {
  return typeof sender === 'string' ? sender : '';
}

/** The challenge is echoed, so it must not be anything that a browser would run. */
const challengeForm = /^[A-Za-z0-9_-]{1,256}$/;

function isSigned(
  rawBody: Buffer,
  signature: string,
  { app_secret: secret }: Record<string, unknown>,
): boolean {
  if (typeof secret !== 'string' || secret === '') return false;
  const signatureHex = /^sha256=([0-9a-f]{64})$/i.exec(signature)?.[1];
  return (
    signatureHex !== undefined &&
    timingSafeEqual(Buffer.from(signatureHex, 'hex'), digest(secret, rawBody))
  );
}

function digest(secret: string, content: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(content).digest();
}

type Status = { fields: Record<string, unknown>; phoneNumberId: string | undefined };

/** Far above the number that Meta puts into one call. */
const maxStatuses = 1_000;

function listStatuses(body: unknown): Status[] {
  return listChanges(body, 'messages')
    .flatMap((value) => {
      const phoneNumberId = getPhoneNumberId(value);
      return toRecords(value['statuses']).map((fields) => ({ fields, phoneNumberId }));
    })
    .slice(0, maxStatuses);
}

/** Other statuses, such as of a played voice message, are not about our messages. */
function toReports({ fields, phoneNumberId }: Status, sender: string): ReceiptReport[] {
  const state = receiptStates.find((each) => each === fields['status']);
  const providerMessageId = parseId(fields['id']);
  if (!state || !providerMessageId) return [];
  const messageId = parseId(fields['biz_opaque_callback_data']);
  return [
    {
      ...(messageId ? { messageId } : {}),
      providerMessageId,
      state,
      // Only this status: Meta may repeat it together with others.
      identity: JSON.stringify([
        phoneNumberId,
        providerMessageId,
        state,
        parseId(fields['timestamp']),
      ]),
      ...getErrorFields(fields, state, phoneNumberId ?? sender),
    },
  ];
}

/** One app may have several numbers, so an opt-out applies to the number in the report. */
function getErrorFields(
  fields: Record<string, unknown>,
  state: ReceiptState,
  sender: string,
): Pick<ReceiptReport, 'reason' | 'errorCode' | 'detail' | 'changes'> {
  const code = getErrorCode(toRecords(fields['errors'])[0]);
  if (code === undefined) {
    return state === 'failed'
      ? { detail: 'Meta could not deliver the message, and gave no reason.' }
      : {};
  }
  const metaCode = findMetaCode(code);
  const changes = getContactUpdates(metaCode, sender);
  return {
    ...(metaCode && state === 'failed' ? { reason: getRefusalReason(metaCode) } : {}),
    errorCode: code,
    detail: metaCode?.sentence ?? `Meta reported code ${code}.`,
    ...(changes.length > 0 ? { changes } : {}),
  };
}
