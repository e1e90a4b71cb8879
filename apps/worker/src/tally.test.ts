import { createLogger } from '@belfry/runtime';
import { createTally } from './tally';

const log = createLogger({ level: 'error', process: 'test' });

describe('the tally of a worker', () => {
  test('tells each count once, also when it could not be told at first', async () => {
    const told: unknown[] = [];
    let isAway = true;
    const tally = createTally({
      log: { ...log, warn: () => undefined },
      async write(counts) {
        if (isAway) throw new Error('away');
        told.push(...counts.map((count) => ({ ...count })));
      },
    });
    tally.note({ appId: 'a', channel: 'sms' });
    tally.note({ appId: 'a', channel: 'sms' });
    await tally.tell();
    tally.note({ appId: 'b', channel: 'sms' });
    tally.note({ appId: 'a', channel: 'sms' });
    isAway = false;
    await tally.tell();
    await tally.tell();
    expect(told).toEqual([
      { appId: 'a', channel: 'sms', accepted: 3 },
      { appId: 'b', channel: 'sms', accepted: 1 },
    ]);
  });
});
