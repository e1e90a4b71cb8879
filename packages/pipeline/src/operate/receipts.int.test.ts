import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { recordResults } from '../deliver/record.sql';
import { claimMessageRow, resultFor, writeMessageRow } from '../message-row.fixture';
import { type NewReceipt, storeReceipts, writeReceipts } from './receipts';

let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };
let integrationId: string;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
  integrationId = newId();
});

afterAll(() => database.close());

async function sendMessage(result: Parameters<typeof resultFor>[1] = {}): Promise<string> {
  const id = await claimed();
  await recordResults(database.delivery, [resultFor(id, result)]);
  return id;
}

async function claimed(): Promise<string> {
  const id = await writeMessageRow({ database, tenant, event }, { integrationId });
  await claimMessageRow({ database }, id);
  return id;
}

function receipt(messageId: string | undefined, overrides: Partial<NewReceipt>): NewReceipt {
  return {
    appId: tenant.appId,
    integrationId,
    messageId,
    providerMessageId: 'SM1',
    state: 'delivered',
    reason: undefined,
    errorCode: undefined,
    detail: undefined,
    body: '{}',
    identity: newId(),
    ...overrides,
  };
}

const report = (id: string, overrides: Partial<NewReceipt>) =>
  writeReceipts(database.accepting, [receipt(id, overrides)]);

const readState = async (id: string) =>
  (await database.prisma.message.findUniqueOrThrow({ where: { id } })).state;

const findReceipts = (messageId: string) =>
  database.prisma.receipt.findMany({ where: { messageId } });

const unmatchedEffect = { isRepeat: false, messageId: undefined, movedTo: undefined };
const failed = { state: 'failed', reason: 'rejected_content', errorCode: '30007' } as const;

describe('a receipt', () => {
  test.each([
    [['sent', 'delivered', 'read'], 'read'],
    [['delivered', 'sent'], 'delivered'],
    [['read', 'delivered', 'sent', 'queued'], 'read'],
    [['queued'], 'sent'],
    [['failed', 'delivered'], 'failed'],
    [['delivered', 'failed'], 'delivered'],
    [['failed', 'failed'], 'failed'],
  ] as const)('only moves a sent message forward: %j', async (states, expected) => {
    const id = await sendMessage();
    for (const state of states) await report(id, { state });
    expect(await readState(id)).toBe(expected);
    expect(await findReceipts(id)).toHaveLength(states.length);
  });

  test.each([
    [['sent', 'delivered', 'read'], 'read'],
    [['read', 'sent', 'sent'], 'read'],
  ] as const)(
    'counts by the state furthest forward if one call has several: %j',
    async (states, expected) => {
      const id = await sendMessage();
      const effects = await writeReceipts(
        database.accepting,
        states.map((state) => receipt(id, { state })),
      );
      expect(await readState(id)).toBe(expected);
      expect(effects.map(({ messageId }) => messageId)).toEqual(states.map(() => id));
      expect(effects.flatMap(({ movedTo }) => movedTo ?? [])).toEqual([expected]);
    },
  );

  test('with state failed keeps its reason and code, whatever comes later', async () => {
    const id = await sendMessage();
    await report(id, { ...failed, detail: 'The carrier filtered it.' });
    await report(id, { state: 'failed' });
    await report(id, { state: 'delivered' });
    expect(await database.prisma.message.findUnique({ where: { id } })).toMatchObject({
      state: 'failed',
      reason: 'rejected_content',
      notes: { receipt_code: '30007', receipt: 'The carrier filtered it.' },
    });
  });

  test('with state failed keeps the attempt’s notes', async () => {
    const id = await sendMessage({ notes: { segments: 2 } });
    await report(id, failed);
    expect(await database.prisma.message.findUnique({ where: { id } })).toMatchObject({
      notes: { segments: 2, receipt_code: '30007' },
    });
  });

  test('keeps the time at which its message was settled', async () => {
    const id = await sendMessage();
    await report(id, { state: 'delivered' });
    const settledAt = new Date('2026-01-02T03:04:05Z');
    await database.prisma.message.update({ where: { id }, data: { settledAt } });
    await report(id, { state: 'read' });
    expect(await database.prisma.message.findUnique({ where: { id } })).toMatchObject({
      state: 'read',
      settledAt,
    });
  });

  test.each([
    [['sent'], 'failed'],
    [['delivered'], 'failed'],
    [['read'], 'read'],
    [[], 'failed'],
  ] as const)('with a bounce after %j ends the message as %s, for good', async (before, end) => {
    const id = await sendMessage();
    for (const state of before) await report(id, { state });
    await report(id, { state: 'failed', reason: 'bounced', detail: 'No such mailbox.' });
    await report(id, { state: 'delivered' });
    const reason = end === 'failed' ? 'bounced' : null;
    expect(await database.prisma.message.findUnique({ where: { id } })).toMatchObject({
      state: end,
      reason,
    });
  });

  test('whose identity is that of the call counts once, whichever message it names later', async () => {
    const [first, second] = [await sendMessage(), await sendMessage()];
    const call = { identity: newId(), identifiesCall: true } as const;
    await report(first, call);
    expect(await report(second, call)).toMatchObject([{ isRepeat: true }]);
    expect([await readState(first), await readState(second)]).toEqual(['delivered', 'sent']);
  });

  test('about another address than the message’s own is stored without changing the message', async () => {
    const id = await sendMessage();
    const { target } = await database.prisma.message.findUniqueOrThrow({ where: { id } });
    const bounce = { state: 'failed', reason: 'bounced' } as const;
    expect(await report(id, { ...bounce, recipient: 'copy@example.org' })).toEqual([
      unmatchedEffect,
    ]);
    expect(await readState(id)).toBe('sent');
    await report(id, { ...bounce, recipient: target.toUpperCase() });
    expect(await readState(id)).toBe('failed');
  });

  // Twilio 21610 and Meta 131050 may arrive only as a receipt, after the provider accepted the message.
  test('for an opt-out skips the message, with the code, for good', async () => {
    const id = await sendMessage();
    const optOut = { state: 'failed', reason: 'opted_out', errorCode: '21610' } as const;
    const [effect] = await report(id, { ...optOut, detail: 'The person sent STOP.' });
    expect(effect).toMatchObject({ movedTo: 'skipped' });
    await report(id, { state: 'failed' });
    await report(id, { state: 'delivered' });
    expect(await database.prisma.message.findUnique({ where: { id } })).toMatchObject({
      state: 'skipped',
      reason: 'opted_out',
      settledAt: expect.any(Date),
      notes: { receipt_code: '21610', receipt: 'The person sent STOP.' },
    });
    const states = (await findReceipts(id)).map(({ state }) => state);
    expect(states.sort()).toEqual(['delivered', 'failed', 'failed']);
  });

  test('for an opt-out does not change a delivered message, and settles a queued one', async () => {
    const optOut = { state: 'failed', reason: 'opted_out' } as const;
    const arrived = await sendMessage();
    await report(arrived, { state: 'delivered' });
    await report(arrived, optOut);
    expect(await readState(arrived)).toBe('delivered');
    const sending = await claimed();
    await report(sending, optOut);
    expect(await readState(sending)).toBe('skipped');
  });

  test('settles a message with an unknown outcome, and one that waits for its resend', async () => {
    const unknown = { outcome: 'unknown', providerMessageId: undefined } as const;
    const stays = await sendMessage({ ...unknown, next: { state: 'unknown' } });
    const waits = await sendMessage({
      ...unknown,
      next: { state: 'queued', dueAfterMs: 60_000, waits: 'retry', isPossibleDuplicate: true },
    });
    for (const id of [stays, waits]) await report(id, { state: 'delivered' });
    for (const id of [stays, waits]) {
      expect(await database.prisma.message.findUnique({ where: { id } })).toMatchObject({
        state: 'delivered',
        dueAt: null,
        waits: null,
      });
    }
  });

  test('that arrives before the attempt is recorded wins over it, and the attempt’s notes are kept', async () => {
    const id = await claimed();
    await report(id, { state: 'delivered' });
    const recorded = await recordResults(database.delivery, [
      resultFor(id, { notes: { segments: 2 } }),
    ]);
    expect(recorded).toEqual([true]);
    expect(await database.prisma.message.findUnique({ where: { id } })).toMatchObject({
      state: 'delivered',
      notes: { segments: 2 },
    });
  });

  test('is stored in one transaction with its contact updates', async () => {
    const messageId = await sendMessage();
    const optOut = { change: 'suppress', reason: 'opted_out', sender: '+15550001' } as const;
    const failedReceipt = receipt(messageId, { state: 'failed' });
    const store = (sender: string) =>
      storeReceipts(database.accepting, [{ ...failedReceipt, changes: [{ ...optOut, sender }] }]);
    // PostgreSQL refuses U+0000 in text.
    await expect(store('\0')).rejects.toThrow();
    expect(await findReceipts(messageId)).toEqual([]);
    const { appId } = tenant;
    expect(await store(optOut.sender)).toMatchObject([{ isRepeat: false }]);
    expect(await database.prisma.suppression.count({ where: { appId } })).toBe(1);
  });

  test('for a message that was never sent changes nothing', async () => {
    const id = await writeMessageRow({ database, tenant, event }, { integrationId });
    await report(id, { state: 'delivered' });
    expect(await readState(id)).toBe('queued');
    expect(await findReceipts(id)).toEqual([]);
  });

  test.each([
    ['another integration', () => ({ integrationId: newId() })],
    ['another app', () => ({ appId: newId() })],
  ])('of %s is stored without changing the message', async (_whose, getOverrides) => {
    const id = await sendMessage();
    const body = JSON.stringify(newId());
    const effects = await report(id, { ...getOverrides(), state: 'read', body });
    expect(effects).toEqual([unmatchedEffect]);
    expect(await readState(id)).toBe('sent');
    const stored = await database.prisma.receipt.findMany({ where: { body } });
    expect(stored).toMatchObject([{ messageId: null }]);
  });

  test.each([[undefined], ['not-a-uuid'], [newId()]])(
    'for an unknown message is stored: %j',
    async (messageId) => {
      const body = JSON.stringify(newId());
      const effects = await writeReceipts(database.accepting, [receipt(messageId, { body })]);
      expect(effects).toEqual([unmatchedEffect]);
      expect(await database.prisma.receipt.count({ where: { body } })).toBe(1);
    },
  );
});
