import type { ReceiptReport } from '@belfry/channels';
import type { IntegrationRow, LearnedChanges, NewReceipt, ReceiptEffect } from '@belfry/database';
import type { Logger } from '@belfry/runtime';

export type StoreReportsDeps = {
  writeReceipts(receipts: NewReceipt[]): Promise<ReceiptEffect[]>;
  applyDataChanges(learned: LearnedChanges[]): Promise<void>;
  log: Logger;
};

export type SignedReports = {
  integration: Pick<IntegrationRow, 'id' | 'appId'>;
  reports: ReceiptReport[];
  rawBody: Buffer;
};

/** What Meta sends at once, at most. */
const maxReportsPerCall = 1_000;
const maxStoredCharacters = 16_000;

/** Stores what a provider reported, moves the messages that it is about, and keeps what it tells about their addresses. */
export function createStoreReports({ writeReceipts, applyDataChanges, log }: StoreReportsDeps) {
  return async function storeReports(signed: SignedReports): Promise<void> {
    const reports = signed.reports.slice(0, maxReportsPerCall);
    if (reports.length === 0) return;
    const { id: integrationId, appId } = signed.integration;
    const body = signed.rawBody.toString('utf8').slice(0, maxStoredCharacters);
    const effects = await writeReceipts(
      // What came over the wire is kept once a call.
      reports.map((report, index) => ({
        ...receiptOf(report),
        integrationId,
        appId,
        body: index === 0 ? body : '',
      })),
    );
    await applyDataChanges(learnedFrom(reports, effects));
    reports.forEach(({ state }, index) => {
      const effect = effects[index];
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

function receiptOf(report: ReceiptReport): Omit<NewReceipt, 'integrationId' | 'appId' | 'body'> {
  const { messageId, providerMessageId, state, reason, errorCode, detail } = report;
  return { messageId, providerMessageId, state, reason, errorCode, detail };
}

/** Only about a message that this integration sent: whose address it was is read from there. */
function learnedFrom(reports: ReceiptReport[], effects: ReceiptEffect[]): LearnedChanges[] {
  return reports.flatMap(({ changes = [] }, index) => {
    const messageId = effects[index]?.messageId;
    return messageId === undefined || changes.length === 0 ? [] : [{ messageId, changes }];
  });
}
