import type { ReceiptReport } from '@belfry/channels';
import type { IntegrationRow } from '@belfry/database';
import { type Logger, readBounceAddress, type Secrets } from '@belfry/runtime';
import type { NewReceipt, ReceiptEffect } from './receipts';

/** Stores reports of a provider about messages of its integration. */
export type StoreReports = (signed: SignedReports) => Promise<void>;

export type StoreReportsDeps = {
  storeReceipts(receipts: NewReceipt[]): Promise<ReceiptEffect[]>;
  storeMailSignature(result: { integrationId: string; signature: string }): Promise<void>;
  secrets: Pick<Secrets, 'fingerprint' | 'keyIds'>;
  log: Logger;
};

type SignedReports = {
  integration: Pick<IntegrationRow, 'id' | 'appId'>;
  reports: ReceiptReport[];
  rawBody: Buffer;
};

/** Meta sends up to 1,000 in one call, SendGrid up to 768 KB of at least 400 bytes each. */
const maxReportsPerCall = 2_000;
const maxStoredCharacters = 16_000;

/** Stores the reports of a provider, updates the states of their messages and the facts about addresses. Drops repeats. */
export function createStoreReports({
  storeReceipts,
  storeMailSignature,
  secrets,
  log,
}: StoreReportsDeps): StoreReports {
  return async function storeReports(signed: SignedReports): Promise<void> {
    const [test] = signed.reports;
    if (test?.mailSignature !== undefined) {
      const { messageId: address = '', mailSignature: signature } = test;
      const integrationId = findTested(address, secrets);
      // Anyone can send to the way of another integration, but not name it in an address of ours.
      if (integrationId === signed.integration.id) {
        await storeMailSignature({ integrationId, signature });
      }
      return;
    }
    const reports = signed.reports.slice(0, maxReportsPerCall);
    if (reports.length === 0) return;
    const { id: integrationId, appId } = signed.integration;
    const body = signed.rawBody.toString('utf8').slice(0, maxStoredCharacters);
    const effects = await storeReceipts(
      // The raw body is stored once for each call.
      reports.map((report, index) => ({
        providerMessageId: report.providerMessageId,
        state: report.state,
        reason: report.reason,
        errorCode: report.errorCode,
        detail: report.detail,
        identity: report.identity,
        identifiesCall: report.identifiesCall,
        changes: report.changes ?? [],
        ...findMessage(report, secrets),
        integrationId,
        appId,
        body: report.record ?? (index === 0 ? body : ''),
      })),
    );
    reports.forEach(({ state }, index) => {
      const effect = effects[index];
      if (effect?.isRepeat) return;
      log.info('receipt.stored', {
        integration_id: integrationId,
        app_id: appId,
        message_id: effect?.messageId,
        outcome: state,
        state: effect?.movedTo,
      });
    });
  };
}

/** A bounce address that we did not create names no message. The mail has one recipient unless it has copies. */
function findMessage(
  { messageId, recipient }: ReceiptReport,
  secrets: StoreReportsDeps['secrets'],
): Pick<NewReceipt, 'messageId' | 'recipient'> {
  if (!messageId?.includes('@')) return { messageId, recipient };
  const bounced = readBounceAddress(secrets, messageId);
  if (!bounced || !('messageId' in bounced)) return { messageId: undefined, recipient: undefined };
  return { messageId: bounced.messageId, recipient: bounced.hasCopies ? recipient : undefined };
}

function findTested(address: string, secrets: StoreReportsDeps['secrets']): string | undefined {
  const tested = readBounceAddress(secrets, address);
  return tested && 'testedIntegrationId' in tested ? tested.testedIntegrationId : undefined;
}
