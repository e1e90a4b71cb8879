import { createLogger } from '@belfry/runtime';
import { createRecorder } from './record';
import type { AttemptResult } from './record.sql';

const log = createLogger({ level: 'error', process: 'test' });

function buildResult(messageId: string, detail?: string): AttemptResult {
  return {
    messageId,
    attempt: 1,
    outcome: 'accepted',
    reason: undefined,
    detail,
    provider: undefined,
    providerMessageId: undefined,
    request: undefined,
    response: undefined,
    notes: {},
    changes: [],
    inboxItem: undefined,
    unknownCount: 0,
    next: { state: 'sent' },
  };
}

/** A fake store that refuses every flush with a detail it does not accept. */
function createPickyStore(refusal: Error) {
  const stored: string[] = [];
  return {
    stored,
    async recordResults(results: AttemptResult[]): Promise<boolean[]> {
      if (results.some(({ detail }) => detail === 'refused')) throw refusal;
      stored.push(...results.map(({ messageId }) => messageId));
      return results.map(() => true);
    },
  };
}

describe('the recorder', () => {
  test('stores the other results if PostgreSQL refuses one, and that one without its texts', async () => {
    const store = createPickyStore(Object.assign(new Error('refused'), { code: '22021' }));
    const recorder = createRecorder({ recordResults: store.recordResults, log });
    const recorded = await Promise.all([
      recorder.record(buildResult('a')),
      recorder.record(buildResult('b', 'refused')),
      recorder.record(buildResult('c')),
    ]);
    expect(recorded).toEqual([true, true, true]);
    expect(store.stored).toEqual(['a', 'c', 'b']);
  });

  test('keeps a result with all its texts while the connection is lost', async () => {
    let outages = 2;
    const details: (string | undefined)[] = [];
    const recorder = createRecorder({
      async recordResults(results) {
        outages -= 1;
        if (outages >= 0) throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
        details.push(...results.map(({ detail }) => detail));
        return results.map(() => true);
      },
      log,
    });
    await expect(recorder.record(buildResult('a', 'text'))).resolves.toBe(true);
    expect(details).toEqual(['text']);
  });
});
