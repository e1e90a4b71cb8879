import { createLogger } from '@belfry/runtime';
import { createTally } from './delivery-counts';

const log = createLogger({ level: 'error', process: 'test' });

describe('the tally of a worker', () => {
  test('writes each count once, even if a write fails first', async () => {
    const writes: unknown[] = [];
    let isUnavailable = true;
    const tally = createTally({
      log: { ...log, warn: () => undefined },
      async write(counts) {
        if (isUnavailable) throw new Error('away');
        writes.push(...counts.map((count) => ({ ...count })));
      },
    });
    tally.recordAccepted({ appId: 'a', channel: 'sms' });
    tally.recordAccepted({ appId: 'a', channel: 'sms' });
    await tally.flush();
    tally.recordAccepted({ appId: 'b', channel: 'sms' });
    tally.recordAccepted({ appId: 'a', channel: 'sms' });
    isUnavailable = false;
    await tally.flush();
    await tally.flush();
    expect(writes).toEqual([
      { appId: 'a', channel: 'sms', accepted: 3 },
      { appId: 'b', channel: 'sms', accepted: 1 },
    ]);
  });
});
