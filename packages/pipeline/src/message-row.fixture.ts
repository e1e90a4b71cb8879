import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import type { Tenant } from '@belfry/testing';
import { writeRequests } from './accept/write';
import { claimMessages } from './deliver/claim.sql';
import type { AttemptResult } from './deliver/record.sql';

export type MessageOptions = {
  channel?: string;
  target?: string;
  recipient?: Record<string, unknown>;
  integrationId?: string;
  override?: object | undefined;
  /** The stored device that the message is planned for. */
  deviceId?: string | undefined;
  dueAt?: Date;
  metadata?: Record<string, string>;
  cancelKey?: string;
};

type Place = { database: Database; tenant: Tenant; event: { eventId: string; versionId: string } };

/** Writes an accepted message; returns its id. */
export async function writeMessageRow(
  { database, tenant, event }: Place,
  {
    channel = 'email',
    target = 'ana@example.com',
    recipient = {},
    integrationId,
    override,
    deviceId,
    dueAt,
    metadata,
    cancelKey,
  }: MessageOptions,
): Promise<string> {
  const id = newId();
  await writeRequests(database.accepting, [
    {
      request: {
        id: newId(),
        accountId: tenant.accountId,
        appId: tenant.appId,
        ...event,
        kind: 'single',
        apiKeyId: undefined,
        idempotencyKey: undefined,
      },
      key: undefined,
      items: [
        {
          recipient: JSON.stringify(recipient),
          data: undefined,
          override: override && JSON.stringify(override),
          locale: undefined,
          scheduleAt: undefined,
          metadata: metadata && JSON.stringify(metadata),
          cancelKey,
          plan: {
            locale: undefined,
            skips: {},
            messages: [
              {
                id,
                channel,
                target,
                integrationId,
                dueAt,
                timeToLiveMs: 60_000,
                jobId: undefined,
                note: undefined,
                deviceId,
              },
            ],
          },
        },
      ],
    },
  ]);
  return id;
}

export async function claimMessageRow({ database }: Pick<Place, 'database'>, id: string) {
  const [claim] = await claimMessages(database.delivery, {
    ids: [id],
    worker: 'test',
    leaseMs: 20_000,
  });
  return claim;
}

export function resultFor(messageId: string, result: Partial<AttemptResult>): AttemptResult {
  return {
    messageId,
    attempt: 1,
    outcome: 'accepted',
    reason: undefined,
    detail: undefined,
    provider: 'smtp',
    providerMessageId: 'p1',
    request: undefined,
    response: undefined,
    notes: {},
    changes: [],
    inboxItem: undefined,
    unknownCount: 0,
    next: { state: 'sent' },
    ...result,
  };
}
