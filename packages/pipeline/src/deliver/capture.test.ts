import type { CaptureRecord } from '@belfry/channels';
import { createCapture } from './capture';
import type { StoredCapture } from './capture.sql';

function createRecord(messageId: string): CaptureRecord {
  return {
    appId: 'a',
    messageId,
    attempt: 1,
    channel: 'sms',
    provider: 'twilio',
    target: '+4520000001',
    content: { text: 'Hi' },
    request: { operation: 'POST', body: {} },
    outcome: { outcome: 'accepted', providerMessageId: 'p' },
  };
}

/** A fake store that refuses statements with the message `refused`. */
function createPickyStore(refusal: Error) {
  const statements: string[][] = [];
  return {
    statements,
    async write(captures: StoredCapture[]): Promise<void> {
      const ids = captures.map(({ messageId }) => messageId);
      if (ids.includes('refused')) throw refusal;
      statements.push(ids);
    },
  };
}

const listStatuses = (settled: PromiseSettledResult<void>[]) => settled.map(({ status }) => status);

describe('captures', () => {
  test('are stored in one statement if they arrive together', async () => {
    const store = createPickyStore(new Error('unused'));
    const capture = createCapture(store.write);
    await Promise.all(['a', 'b', 'c'].map((id) => capture(createRecord(id))));
    expect(store.statements).toEqual([['a', 'b', 'c']]);
  });

  test('are stored if PostgreSQL refuses another one, which fails alone', async () => {
    const store = createPickyStore(Object.assign(new Error('no'), { code: '22P05' }));
    const capture = createCapture(store.write);
    const settled = await Promise.allSettled(
      ['a', 'refused', 'c'].map((id) => capture(createRecord(id))),
    );
    expect(listStatuses(settled)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(store.statements).toEqual([['a'], ['c']]);
  });

  test('all fail if the connection is lost, because it is unknown which were stored', async () => {
    const store = createPickyStore(Object.assign(new Error('lost'), { code: 'ECONNRESET' }));
    const capture = createCapture(store.write);
    const settled = await Promise.allSettled(
      ['a', 'refused'].map((id) => capture(createRecord(id))),
    );
    expect(listStatuses(settled)).toEqual(['rejected', 'rejected']);
    expect(store.statements).toEqual([]);
  });
});
